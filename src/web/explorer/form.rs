//! The form of a route, out of its parameters.

use maud::{Markup, html};

use super::outcome::Fault;
use super::query_string::QueryString;
use super::{place, reference};
use crate::query::endpoint::Route;
use crate::query::params::{Kind, Param};
use crate::types::{Country, Day};
use crate::web::{category, product};

/// Parameters that most people want, beside those that a route cannot do without.
const USUAL: &[&str] = &["q", "category", "brand", "retailer", "country", "time_window"];

/// Names of the parameters that an empty request is refused for.
pub(super) fn needed(route: &Route, as_of: Day) -> Vec<String> {
    let faults = route.parse("", as_of).err().unwrap_or_default();
    faults.into_iter().map(|fault| fault.parameter).collect()
}

/// The form, filled with what was asked; what was wrong stands at its field.
pub(super) fn form(
    route: &Route,
    asked: &QueryString,
    needed: &[String],
    faults: &[Fault],
    must_pay: bool,
) -> Markup {
    let is_needed = |param: &Param| needed.iter().any(|name| name == param.name);
    let is_usual = |param: &Param| {
        is_needed(param)
            || USUAL.contains(&param.name)
            || faults.iter().any(|fault| fault.parameter == param.name)
    };
    let (usual, rest): (Vec<&Param>, Vec<&Param>) =
        route.params.iter().copied().partition(|param| is_usual(param));
    let fields = |params: &[&'static Param]| {
        html! {
            @for param in params {
                @let fault = faults.iter().find(|fault| fault.parameter == param.name);
                (field(route, param, asked.value(param.name), is_needed(param), fault))
            }
        }
    };
    let is_open = rest.iter().any(|param| asked.value(param.name).is_some());
    html! {
        form class="ask" method="get" action=(place(route.path)) data-route=(route.path) {
            div class="fields" { (fields(&usual)) }
            @if !rest.is_empty() {
                details open[is_open] {
                    summary { "More parameters" }
                    div class="fields" { (fields(&rest)) }
                }
            }
            button type="submit" { @if must_pay { "Get a quote" } @else { "Ask" } }
        }
    }
}

/// A search box.
pub(crate) struct Search {
    /// Address of the page that answers.
    page: &'static str,
    /// Name of the parameter.
    name: &'static str,
    label: &'static str,
    placeholder: &'static str,
    /// Word by which the script finds its suggestions.
    suggest: &'static str,
}

impl Search {
    /// A product by name.
    pub(crate) const PRODUCT: Self = Self {
        page: product::PATH,
        name: "q",
        label: "What does it cost?",
        placeholder: "a product, in your words",
        suggest: "words",
    };
    /// A category by name.
    pub(crate) const CATEGORY: Self = Self {
        page: category::PATH,
        name: "category",
        label: "How did its prices move?",
        placeholder: "a category, such as food",
        suggest: "categories",
    };
}

/// A search box with what was asked, and a switch of countries.
pub(crate) fn search(search: &Search, asked: &str, here: &str) -> Markup {
    let Search { page, name, label, placeholder, suggest } = search;
    html! {
        form class="search" role="search" method="get" action=(page) {
            label for=(name) { (label) }
            div {
                div class="box" {
                    input id=(name) name=(name) type="search" required value=(asked) placeholder=(placeholder) autocomplete="off" data-suggest=(suggest);
                }
                select name="country" aria-label="Country" {
                    @for country in Country::ALL {
                        option value=(country.as_str()) selected[country.as_str() == here] { (country.name()) }
                    }
                }
                button type="submit" { "Search" }
            }
        }
    }
}

fn field(
    route: &Route,
    param: &Param,
    value: Option<&str>,
    is_needed: bool,
    fault: Option<&Fault>,
) -> Markup {
    let (id, hint, error) =
        (format!("p-{}", param.name), format!("h-{}", param.name), format!("e-{}", param.name));
    let described = fault.map_or_else(|| hint.clone(), |_| format!("{error} {hint}"));
    let invalid = fault.map(|_| "true");
    let value = value.unwrap_or_default();
    let select = |options: &[String], default: Option<&str>| {
        let is_listed = value.is_empty() || options.iter().any(|option| option == value);
        html! {
            select id=(id) name=(param.name) aria-describedby=(described) aria-invalid=[invalid] {
                option value="" { @match default { Some(word) => { (word) " (default)" }, None => "any" } }
                @for option in options { option value=(option) selected[option == value] { (option) } }
                @if !is_listed { option value=(value) selected { (value) } }
            }
        }
    };
    let input = |kind: &str, mode: Option<&str>, placeholder: &str| {
        html! {
            input id=(id) name=(param.name) type=(kind) inputmode=[mode] value=(value) placeholder=(placeholder)
                autocomplete="off" aria-describedby=(described) aria-invalid=[invalid] data-suggest=[suggests(param)];
        }
    };
    let control = match &param.kind {
        Kind::Word(words, default) => {
            select(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), *default)
        }
        Kind::OneOf(numbers, default) => {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            select(&numbers, default.map(|number| number.to_string()).as_deref())
        }
        Kind::Integer { default, .. } => {
            let default = default.map(|number| format!("{number} (default)")).unwrap_or_default();
            input("text", Some("numeric"), &default)
        }
        Kind::Position => input("text", Some("numeric"), "0 (default)"),
        Kind::Flag => html! {
            input id=(id) name=(param.name) type="checkbox" value="true" checked[value == "true"]
                aria-describedby=(described) aria-invalid=[invalid];
        },
        Kind::Date => input("text", None, "YYYY-MM-DD"),
        Kind::Price => input("text", Some("decimal"), "12.99"),
        Kind::Fraction(default) => input("text", Some("decimal"), &format!("0.{default:02} (default)")),
        Kind::Text | Kind::PlatformKey => input("text", None, ""),
    };
    html! {
        div class=(if matches!(param.kind, Kind::Flag) { "field flag" } else { "field" }) {
            label for=(id) {
                (param.name.replace('_', " "))
                @if is_needed { " " span class="needed" { "needed" } }
            }
            (control)
            @if let Some(fault) = fault { p class="error" id=(error) { (fault.reason) } }
            p class="hint" id=(hint) { (param.about) }
            a class="about" href={ (reference(route.path)) "#parameters." (param.name) } aria-label={ "About " (param.name) } { "?" }
        }
    }
}

/// The free route whose values are suggested for a parameter.
fn suggests(param: &Param) -> Option<&'static str> {
    match param.name {
        "category" | "node" | "department" | "parent" | "category_root" => Some("categories"),
        "brand" => Some("brands"),
        "retailer" | "platform" => Some("retailers"),
        _ => None,
    }
}
