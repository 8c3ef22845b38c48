//! An answer as people read it: its fields as a list, its rows as tables, what can be followed as links.

use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;

use super::query_string::QueryString;
use super::{basket, place, reference};
use crate::endpoints::{BEST_PRICE, BRAND_TRACKER, COMPETITIVE_LANDSCAPE, COVERAGE, PRICE_HISTORY};
use crate::query::descriptor::{Descriptor, Picture};
use crate::query::json_text::JsonText;
use crate::query::params::KEPT;
use crate::web::METHODOLOGY;
use crate::web::layout::scrolled;
use crate::web::wording::{currency, money};

/// The object that says where an answer comes from. It stands last.
const META: &str = "meta";
/// Objects that say how a request was understood.
const UNDERSTOOD: [&str; 2] = ["resolved", "window"];
/// Fields that say how a request was understood, beside those that repeat a parameter.
const UNDERSTOOD_FIELDS: [&str; 9] = [
    "category",
    "corrected_terms",
    "currency",
    "department",
    "dropped_terms",
    "level",
    "match_quality",
    "query",
    "understood_as",
];

/// Names of amounts that do not end like the others, in answers that have a currency.
const AMOUNTS: [&str; 24] = [
    "completed_total",
    "current",
    "from",
    "lower",
    "lowest_90",
    "max",
    "mean",
    "median",
    "min",
    "p05",
    "p10",
    "p25",
    "p50",
    "p75",
    "p90",
    "p95",
    "period_avg",
    "period_high",
    "period_low",
    "split_saving",
    "to",
    "total",
    "upper",
    "upper_bound",
];

/// An answer of a route.
pub(super) struct Tables<'a> {
    route: &'static Descriptor,
    answer: &'a JsonText,
    /// Where its links are asked.
    country: String,
}

/// The fields of an object by their paths in the answer, those of objects in it as well.
type Row<'a> = Vec<(String, &'a JsonText)>;

impl<'a> Tables<'a> {
    /// Of the answer to what was asked.
    pub(super) fn new(route: &'static Descriptor, asked: &QueryString, answer: &'a JsonText) -> Self {
        let country = answer.field("country").and_then(JsonText::cell);
        let country = country.or_else(|| asked.value("country").map(str::to_owned));
        Self { route, answer, country: country.unwrap_or_else(|| "us".to_owned()) }
    }

    /// The whole answer: its headline figures, its picture, its other fields by meaning.
    pub(super) fn whole(&self) -> Markup {
        let JsonText::Object(fields) = self.answer else { return shown(self.answer) };
        let picture = self.picture();
        let (head, parts): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.cell().is_some());
        let head = head.into_iter().map(|(name, value)| (name.clone(), value));
        let (mut understood, figures): (Row<'_>, Row<'_>) =
            head.partition(|(name, _)| self.is_understood(name));
        let objects = parts.iter().filter(|(name, _)| UNDERSTOOD.contains(&name.as_str()));
        understood.extend(objects.flat_map(|(name, value)| flat(name, value)));
        let is_rows = |name: &str| self.route.rows.contains(&name);
        let is_other = |name: &str| name != META && !UNDERSTOOD.contains(&name) && !is_rows(name);
        html! {
            (self.headline())
            @if let Some(picture) = picture { (self.figure(picture)) }
            @if let Some(basket) = basket::table(self.route.path, self.answer) { (basket) }
            @for (name, value) in parts.iter().filter(|(name, _)| is_rows(name)) { (self.part(name, value)) }
            (self.list("", &figures))
            @for (name, value) in parts.iter().filter(|(name, _)| is_other(name)) { (self.part(name, value)) }
            @if !understood.is_empty() {
                details class="meta" { summary { "How the request was understood" } (self.list("", &understood)) }
            }
            @for (name, value) in parts.iter().filter(|(name, _)| name == META) {
                details class="meta" { summary { "Origin of this answer" } (self.list(name, &flat(name, value))) }
            }
        }
    }

    /// Whether a field says how the request was understood.
    fn is_understood(&self, name: &str) -> bool {
        UNDERSTOOD_FIELDS.contains(&name) || self.route.params.iter().any(|param| param.name == name)
    }

    /// The figures that the route names as its highlights, large.
    fn headline(&self) -> Markup {
        let scalar = |path: &&'static str| {
            self.answer.text(path)?;
            Some((*path, self.answer.at(path)?))
        };
        let figures: Vec<_> = self.route.highlights.iter().filter_map(scalar).collect();
        html! {
            @if !figures.is_empty() {
                dl class="headline figures" {
                    @for (path, value) in figures {
                        div {
                            dt { (words(path)) @if self.is_amount(path) { ", " (currency(&self.country)) } }
                            dd { (self.in_words(path, value)) }
                        }
                    }
                }
            }
        }
    }

    /// The columns of a table: those that the route highlights in their order, then the others, which are folded. Without
    /// highlights no column is folded, and those that people look for first come first.
    fn columns<'r>(&self, name: &str, rows: &'r [Row<'_>]) -> Vec<Column<'r>> {
        let mut columns: Vec<Column<'r>> = Vec::new();
        // A column that is null in every row is left out.
        for (path, value) in rows.iter().flatten().filter(|(_, value)| **value != JsonText::Nothing) {
            let is_number = matches!(value, JsonText::Plain(text) if text.parse::<f64>().is_ok());
            match columns.iter_mut().find(|known| known.path == path) {
                Some(known) => known.is_number &= is_number,
                None => columns.push(Column { path, is_number, is_folded: false }),
            }
        }
        let place = |path: &str| self.route.highlights.iter().position(|highlight| *highlight == path);
        if columns.iter().any(|column| place(column.path).is_some()) {
            for column in &mut columns {
                column.is_folded = place(column.path).is_none();
            }
            columns.sort_by_key(|column| place(column.path).unwrap_or(usize::MAX));
        } else {
            columns.sort_by_key(|column| interest(below(name, column.path)));
        }
        columns
    }

    /// The picture of the answer: the first whose rows it has.
    pub(super) fn picture(&self) -> Option<&'static Picture> {
        self.route.pictures.iter().find(|picture| !self.answer.rows(picture.rows).is_empty())
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
        let columns = self.columns(name, &rows);
        let folded = columns.iter().filter(|column| column.is_folded).count();
        let caption = format!("{}, {} rows", words(name), rows.len());
        let table = html! {
            table data-rows=(name) class=[(folded > 0).then_some("keyed")] {
                caption { (caption) }
                thead { tr {
                    @for column in &columns {
                        th scope="col" class=[column.class()] {
                            (self.field(name, column.path)) @if self.is_amount(column.path) { span class="quiet" { ", " (currency(&self.country)) } }
                        }
                    }
                } }
                tbody { @for row in &rows { tr {
                    @for (at, column) in columns.iter().enumerate() {
                        @let cell = row.iter().find(|(known, _)| known == column.path);
                        @let text = cell.map(|(_, value)| self.linked(name, column.path, value, row));
                        @if at == 0 && folded > 0 { th scope="row" { @if let Some(text) = text { (text) } } }
                        @else { td class=[column.class()] { @if let Some(text) = text { (text) } } }
                    }
                } } }
            }
        };
        html! {
            div class="rows" {
                @if folded > 0 {
                    label class="unfold" { input type="checkbox"; " " (folded) " more columns" }
                }
                (scrolled(&caption, &table))
            }
        }
    }

    /// Whether a field is an amount in the answer's currency. A price per unit is not: it has more decimals than cents.
    fn is_amount(&self, path: &str) -> bool {
        let name = path.rsplit('.').next().unwrap_or(path);
        let has_name = name.ends_with("price") || name.ends_with("_amount") || AMOUNTS.contains(&name);
        has_name && !path.ends_with("unit_price.price") && self.answer.field("currency").is_some()
    }

    /// A value, an amount with two decimals.
    fn in_words(&self, path: &str, value: &JsonText) -> Markup {
        let amount = value.as_number().filter(|_| self.is_amount(path));
        amount.map_or_else(|| shown(value), |amount| html! { (money(amount)) })
    }

    /// The name of a field, which leads to what it means.
    fn field(&self, within: &str, path: &str) -> Markup {
        html! { a class="field" href={ (reference(self.route.path)) "#answer." (path) } { (words(below(within, path))) } }
    }

    fn linked(&self, within: &str, path: &str, value: &JsonText, row: &Row<'_>) -> Markup {
        match self.target(within, path, value, row) {
            Some(target) => html! { a href=(target) { (self.in_words(path, value)) } },
            None => self.in_words(path, value),
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
                // A product with a current price has one of the last 90 days.
                let query = query("product_uid", &of("product_uid")?);
                (PRICE_HISTORY, format!("{query}&time_window=last_90_days"))
            }
            "product_uid" => (BEST_PRICE, query("product_uid", &text)),
            "entity_uid" => (BEST_PRICE, query("entity_uid", &text)),
            "retailer" | "platform" => (COVERAGE, query("platform", &text)),
            // A category without current prices has no page.
            "category_root" if of("recent_priced_product_count").as_deref() == Some("0") => return None,
            "slug" if of("products").as_deref() == Some("0") => return None,
            "slug" | "category_root" => (COMPETITIVE_LANDSCAPE, query("category", &text)),
            "brand" => (BRAND_TRACKER, query("brand", &text)),
            _ => return None,
        };
        Some(format!("{}?{query}", place(route.path)))
    }
}

/// A column of a table.
struct Column<'a> {
    path: &'a str,
    is_number: bool,
    /// Whether it is shown only when all columns are.
    is_folded: bool,
}

impl Column<'_> {
    fn class(&self) -> Option<&'static str> {
        match (self.is_number, self.is_folded) {
            (true, true) => Some("num more"),
            (true, false) => Some("num"),
            (false, true) => Some("more"),
            (false, false) => None,
        }
    }
}

/// Rank of a column: names and prices first, ids and instants last.
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
