//! An answer as people read it: its fields as a list, its rows as tables, what can be followed as links.

use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;

use super::query_string::QueryString;
use super::{basket, place, reference};
use crate::endpoints::{BEST_PRICE, BRAND_TRACKER, COMPETITIVE_LANDSCAPE, COVERAGE, PRICE_HISTORY};
use crate::query::descriptor::Picture;
use crate::query::endpoint::Route;
use crate::query::json_text::JsonText;
use crate::query::params::KEPT;
use crate::web::METHODOLOGY;

/// Fields that say where an answer comes from; they stand last.
const META: &str = "meta";

/// Rows of a table that are seen at once.
const ROWS_SEEN: usize = 12;

/// An answer of a route.
pub(super) struct Tables<'a> {
    route: &'a Route,
    answer: &'a JsonText,
    /// Where its links are asked.
    country: String,
}

/// The fields of an object by their paths in the answer, those of objects in it as well.
type Row<'a> = Vec<(String, &'a JsonText)>;

impl<'a> Tables<'a> {
    /// Of the answer to what was asked.
    pub(super) fn new(route: &'a Route, asked: &QueryString, answer: &'a JsonText) -> Self {
        let country = answer.field("country").and_then(JsonText::cell);
        let country = country.or_else(|| asked.value("country").map(str::to_owned));
        Self { route, answer, country: country.unwrap_or_else(|| "us".to_owned()) }
    }

    /// The whole answer.
    pub(super) fn whole(&self) -> Markup {
        let JsonText::Object(fields) = self.answer else { return shown(self.answer) };
        let picture = self.picture();
        let (head, parts): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.cell().is_some());
        let (meta, parts): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(name, _)| name == META);
        let head: Row<'_> = head.into_iter().map(|(name, value)| (name.clone(), value)).collect();
        html! {
            (self.list("", &head))
            @if let Some(basket) = basket::table(self.route.path, self.answer) { (basket) }
            @if let Some(picture) = picture { (self.figure(picture)) (self.rows(picture.rows)) }
            @for (name, value) in parts {
                @if picture.is_none_or(|picture| picture.rows != name) { (self.part(name, value)) }
            }
            @for (name, value) in meta {
                details class="meta" { summary { "Where this comes from" } (self.list(name, &flat(name, value))) }
            }
        }
    }

    /// The picture of the answer: the first whose rows it has.
    pub(super) fn picture(&self) -> Option<&'static Picture> {
        self.route.descriptor.pictures.iter().find(|picture| !self.answer.rows(picture.rows).is_empty())
    }

    /// The place of a picture; a script draws it, and the table behind it says the same.
    pub(super) fn figure(&self, picture: &Picture) -> Markup {
        html! {
            figure class="picture" data-picture=(picture.kind) data-rows=(picture.rows) {
                figcaption {
                    span { (picture.title) } " "
                    @if let Some(anchor) = self.route.methodology.first() {
                        a href={ (METHODOLOGY) "#" (anchor) } { "How this figure is made" }
                    }
                }
            }
        }
    }

    /// The table of some rows of the answer.
    pub(super) fn rows(&self, name: &str) -> Markup {
        self.answer.field(name).map_or_else(|| html! {}, |rows| self.part(name, rows))
    }

    fn part(&self, name: &str, value: &JsonText) -> Markup {
        match value {
            JsonText::List(rows) => self.table(name, rows),
            value => html! { h3 { (words(name)) } (self.list(name, &flat(name, value))) },
        }
    }

    fn list(&self, within: &str, fields: &Row<'_>) -> Markup {
        html! {
            @if !fields.is_empty() {
                dl class="facts" {
                    @for (path, value) in fields {
                        div { dt { (self.field(within, path)) } dd { (self.linked(within, path, value, fields)) } }
                    }
                }
            }
        }
    }

    fn table(&self, name: &str, rows: &[JsonText]) -> Markup {
        let rows: Vec<Row<'_>> = rows.iter().map(|row| flat(name, row)).collect();
        // A column that is null in every row is none.
        let mut columns: Vec<(&str, bool)> = Vec::new();
        for (path, value) in rows.iter().flatten().filter(|(_, value)| **value != JsonText::Nothing) {
            let is_number = matches!(value, JsonText::Plain(text) if text.parse::<f64>().is_ok());
            match columns.iter_mut().find(|(known, _)| known == path) {
                Some((_, is_numeric)) => *is_numeric &= is_number,
                None => columns.push((path, is_number)),
            }
        }
        columns.sort_by_key(|(path, _)| interest(below(name, path)));
        let class = |is_number: bool| is_number.then_some("num");
        let caption = format!("{}, {} rows", words(name), rows.len());
        html! {
            div class=(if rows.len() > ROWS_SEEN { "scroll long" } else { "scroll" }) role="region" aria-label=(caption) tabindex="0" {
                table data-rows=(name) {
                    caption { (caption) }
                    thead { tr {
                        @for &(path, is_number) in &columns {
                            th scope="col" class=[class(is_number)] { (self.field(name, path)) }
                        }
                    } }
                    tbody { @for row in &rows { tr {
                        @for &(path, is_number) in &columns {
                            @let cell = row.iter().find(|(known, _)| known == path);
                            td class=[class(is_number)] {
                                @if let Some((_, value)) = cell { (self.linked(name, path, value, row)) }
                            }
                        }
                    } } }
                }
            }
        }
    }

    /// The name of a field, which leads to what it means.
    fn field(&self, within: &str, path: &str) -> Markup {
        html! { a class="field" href={ (reference(self.route.path)) "#answer." (path) } { (words(below(within, path))) } }
    }

    fn linked(&self, within: &str, path: &str, value: &JsonText, row: &Row<'_>) -> Markup {
        match self.target(within, path, value, row) {
            Some(target) => html! { a href=(target) { (shown(value)) } },
            None => shown(value),
        }
    }

    /// Where a value leads: a product to its history or its offers, a retailer to its coverage, a category to its products,
    /// a brand to its report.
    fn target(&self, within: &str, path: &str, value: &JsonText, row: &Row<'_>) -> Option<String> {
        let text = value.cell().filter(|text| !text.is_empty())?;
        let of = |name: &str| {
            let value = row.iter().find(|(path, _)| below(within, path) == name);
            value.and_then(|(_, value)| value.cell())
        };
        let country = of("country").unwrap_or_else(|| self.country.clone());
        let query = |name: &str, value: &str| {
            format!("{name}={}&country={country}", utf8_percent_encode(value, KEPT))
        };
        let (route, query) = match below(within, path) {
            "product_name" => {
                // What has a price has one of the last 90 days.
                let query = query("product_uid", &of("product_uid")?);
                (PRICE_HISTORY, format!("{query}&time_window=last_90_days"))
            }
            "product_uid" => (BEST_PRICE, query("product_uid", &text)),
            "entity_uid" => (BEST_PRICE, query("entity_uid", &text)),
            "retailer" | "platform" => (COVERAGE, query("platform", &text)),
            // What has no price now has no page.
            "category_root" if of("recent_priced_product_count").as_deref() == Some("0") => return None,
            "slug" if of("products").as_deref() == Some("0") => return None,
            "slug" | "category_root" => (COMPETITIVE_LANDSCAPE, query("category", &text)),
            "brand" => (BRAND_TRACKER, query("brand", &text)),
            _ => return None,
        };
        Some(format!("{}?{query}", place(route.path)))
    }
}

/// What people look for first: names and prices before everything, ids and instants behind it.
fn interest(name: &str) -> u8 {
    match name {
        "product_name" | "date" | "period" => 0,
        "brand" | "retailer" => 1,
        "price" => 2,
        name if name.ends_with("uid") || name.ends_with("_id") => 5,
        name if name.ends_with("_at") || name.starts_with("gpc") => 4,
        _ => 3,
    }
}

/// A value by itself.
fn shown(value: &JsonText) -> Markup {
    match value {
        JsonText::Nothing => html! {
            span class="unknown" { span aria-hidden="true" { "–" } span class="unseen" { "not known" } }
        },
        value => match value.cell() {
            Some(text) if text.is_empty() => html! { "none" },
            Some(text) => html! { (text) },
            None => html! { "…" },
        },
    }
}

/// The fields of the object at a path.
fn flat<'a>(path: &str, value: &'a JsonText) -> Row<'a> {
    let JsonText::Object(fields) = value else { return Row::new() };
    let fields = fields.iter().map(|(name, value)| (format!("{path}.{name}"), value));
    fields
        .flat_map(|(path, value)| match value {
            JsonText::Object(_) => flat(&path, value),
            value => vec![(path, value)],
        })
        .collect()
}

/// A path as it is seen from an object above.
fn below<'a>(within: &str, path: &'a str) -> &'a str {
    path.strip_prefix(within).map_or(path, |rest| rest.trim_start_matches('.'))
}

/// A field's name as words.
fn words(name: &str) -> String {
    name.replace('_', " ").replace('.', " · ")
}
