//! An answer as people read it: its fields as a list, its rows as tables, what can be followed as links.

use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;

use super::asked::Asked;
use super::{pictures, place, reference};
use crate::query::endpoint::Route;
use crate::query::json_text::JsonText;
use crate::query::params::KEPT;

/// Fields that say where an answer comes from; they stand last.
const META: &str = "meta";

/// The answers of a route to one request.
pub(super) struct Tables<'a> {
    pub(super) route: &'a Route,
    pub(super) asked: &'a Asked,
}

/// A row's fields, with those of objects in it under both names.
type Row<'a> = Vec<(String, &'a JsonText)>;

impl Tables<'_> {
    /// The whole answer.
    pub(super) fn answer(&self, answer: &JsonText) -> Markup {
        let JsonText::Object(fields) = answer else {
            return html! { p { (self.value("", answer, &Row::new())) } };
        };
        let picture = pictures::of(self.route.path, answer);
        let is_plain = |value: &JsonText| value.cell().is_some();
        let head: Vec<&(String, JsonText)> = fields.iter().filter(|(_, value)| is_plain(value)).collect();
        let parts = fields.iter().filter(|(name, value)| !is_plain(value) && name != META);
        let meta = fields.iter().find(|(name, _)| name == META);
        let country = answer.field("country").and_then(JsonText::cell);
        html! {
            @if let Some(picture) = picture { (picture.figure()) (self.rows(picture.rows, answer)) }
            @if !head.is_empty() { (self.list("", head.iter().map(|(name, value)| (name.clone(), value)).collect(), country.as_deref())) }
            @for (name, value) in parts {
                @if picture.is_none_or(|picture| picture.rows != name) { (self.part(name, value, country.as_deref())) }
            }
            @if let Some((name, meta)) = meta {
                details class="meta" { summary { "Where this comes from" } (self.part(name, meta, None)) }
            }
        }
    }

    /// The table of some rows of an answer.
    pub(super) fn rows(&self, name: &str, answer: &JsonText) -> Markup {
        let country = answer.field("country").and_then(JsonText::cell);
        answer.field(name).map_or_else(|| html! {}, |rows| self.part(name, rows, country.as_deref()))
    }

    fn part(&self, name: &str, value: &JsonText, country: Option<&str>) -> Markup {
        match value {
            JsonText::List(rows) if rows.iter().any(|row| matches!(row, JsonText::Object(_))) => {
                self.table(name, rows, country)
            }
            JsonText::Object(_) => html! {
                h3 { (words(name)) }
                (self.list(name, flat("", value), country))
            },
            _ => html! {},
        }
    }

    fn list(&self, within: &str, fields: Row<'_>, country: Option<&str>) -> Markup {
        html! {
            dl class="facts" {
                @for (name, value) in &fields {
                    div { dt { (self.field(within, name)) } dd { (self.linked(name, value, &fields, country)) } }
                }
            }
        }
    }

    fn table(&self, name: &str, rows: &[JsonText], country: Option<&str>) -> Markup {
        let rows: Vec<Row<'_>> = rows.iter().map(|row| flat("", row)).collect();
        let mut columns: Vec<&str> = Vec::new();
        for (column, value) in rows.iter().flatten() {
            if **value != JsonText::Nothing && !columns.contains(&&**column) {
                columns.push(column);
            }
        }
        let is_number = |column: &str| {
            rows.iter().flatten().filter(|(name, _)| name == column).all(|(_, value)| {
                matches!(value, JsonText::Nothing)
                    || matches!(value, JsonText::Plain(text) if text.parse::<f64>().is_ok())
            })
        };
        let numbers: Vec<bool> = columns.iter().map(|column| is_number(column)).collect();
        let class = |is_number: bool| is_number.then_some("num");
        let caption = format!("{}, {} rows", words(name), rows.len());
        html! {
            div class="scroll" role="region" aria-label=(caption) tabindex="0" {
                table data-rows=(name) {
                    caption { (caption) }
                    thead { tr {
                        @for (column, &is_number) in columns.iter().zip(&numbers) {
                            th scope="col" class=[class(is_number)] { (self.field(name, column)) }
                        }
                    } }
                    tbody { @for row in &rows { tr {
                        @for (column, &is_number) in columns.iter().zip(&numbers) {
                            @let cell = row.iter().find(|(name, _)| name == column);
                            td class=[class(is_number)] {
                                @if let Some((_, value)) = cell { (self.linked(column, value, row, country)) }
                            }
                        }
                    } } }
                }
            }
        }
    }

    /// The name of a field, which leads to what it means.
    fn field(&self, within: &str, name: &str) -> Markup {
        let path = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        html! { a class="field" href={ (reference(self.route.path)) "#answer." (path) } { (words(name)) } }
    }

    fn linked(&self, name: &str, value: &JsonText, row: &Row<'_>, country: Option<&str>) -> Markup {
        let shown = self.value(name, value, row);
        match self.target(name, value, row, country) {
            Some(target) => html! { a href=(target) { (shown) } },
            None => shown,
        }
    }

    /// Where a value leads: a product to its history, a retailer to what is known of it, a brand to its prices.
    fn target(&self, name: &str, value: &JsonText, row: &Row<'_>, country: Option<&str>) -> Option<String> {
        let text = value.cell().filter(|text| !text.is_empty())?;
        let of =
            |field: &str| row.iter().find(|(known, _)| known == field).and_then(|(_, value)| value.cell());
        let country = of("country").or_else(|| country.map(str::to_owned));
        let country =
            country.or_else(|| self.asked.value("country").map(str::to_owned)).unwrap_or_else(|| "us".into());
        let query = |name: &str, value: &str| {
            format!("{name}={}&country={country}", utf8_percent_encode(value, KEPT))
        };
        let (route, query) = match name {
            "product_name" => {
                // What has a price has one of the last 90 days.
                let query = query("product_uid", &of("product_uid")?);
                ("/v1/shopper/price-history", format!("{query}&time_window=last_90_days"))
            }
            "product_uid" => ("/v1/shopper/best-price", query("product_uid", &text)),
            "entity_uid" => ("/v1/shopper/best-price", query("entity_uid", &text)),
            "retailer" | "platform" => ("/v1/public/coverage", query("platform", &text)),
            // What has no price now has no page.
            "category_root" if of("recent_priced_product_count").as_deref() == Some("0") => return None,
            "slug" | "category_root" => ("/v1/marketing/competitive-landscape", query("category", &text)),
            "brand" => ("/v1/marketing/brand-tracker", query("brand", &text)),
            _ => return None,
        };
        Some(format!("{}?{query}", place(route)))
    }

    fn value(&self, name: &str, value: &JsonText, row: &Row<'_>) -> Markup {
        let _ = (name, row);
        match value {
            JsonText::Nothing => html! {
                span class="unknown" { span aria-hidden="true" { "–" } span class="unseen" { "not known" } }
            },
            value => html! { @match value.cell() {
                Some(text) if text.is_empty() => "none",
                Some(text) => (text),
                None => "…",
            } },
        }
    }
}

/// The fields of an object, those of objects in it with both names; what is no object has none.
fn flat<'a>(prefix: &str, value: &'a JsonText) -> Row<'a> {
    let JsonText::Object(fields) = value else { return Row::new() };
    let mut row = Row::new();
    for (name, value) in fields {
        let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            JsonText::Object(_) => row.extend(flat(&name, value)),
            value => row.push((name, value)),
        }
    }
    row
}

/// A field's name as words.
fn words(name: &str) -> String {
    name.replace('_', " ").replace('.', " · ")
}
