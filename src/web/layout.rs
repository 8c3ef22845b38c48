//! The frame of every page: head, navigation, footer.

use hyper::StatusCode;
use maud::{DOCTYPE, Markup, html};

use super::assets;
use crate::server::pages::PageResponse;

/// The script of pages with forms and answers.
const SCRIPT: &str = "explorer.js";

/// A place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The front page and those of products.
    Products,
    /// The pages of categories.
    Categories,
    /// The coverage map.
    Coverage,
    /// The forms that ask every route, the reference of the interface, and its errors.
    Api,
    /// Documents.
    Docs,
    /// A page that is in no section.
    None,
}

/// The places of the navigation: where they are and what they are called.
const PLACES: &[(Section, &str, &str)] = &[
    (Section::Products, "/", "Products"),
    (Section::Categories, "/category", "Categories"),
    (Section::Coverage, "/coverage", "Coverage"),
    (Section::Api, "/explore", "API"),
    (Section::Docs, "/docs", "Docs"),
];

/// Description of a page outside its main part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    /// Title, of the window and in lists.
    pub(super) title: &'a str,
    /// Where it stands in the navigation.
    pub(super) section: Section,
    /// One sentence on what the page is.
    pub(super) about: &'a str,
    /// Where the Markdown is that the page was made of.
    pub(super) twin: Option<&'a str>,
    /// Names of the scripts that it runs.
    pub(super) scripts: &'a [&'a str],
}

/// A table in a region of its own, which scrolls where the table is wider than the page.
pub(super) fn scrolled(name: &str, table: &Markup) -> Markup {
    html! { div class="scroll" role="region" aria-label=(name) tabindex="0" {
            p class="sign" aria-hidden="true" { "scroll for more →" }
            (table)
        }
    }
}

/// A page that was made for one visitor, with the script of forms and answers.
pub(super) fn live(
    status: StatusCode,
    section: Section,
    title: &str,
    about: &str,
    main: &Markup,
) -> PageResponse {
    let frame = Frame { title, section, about, twin: None, scripts: &[SCRIPT] };
    PageResponse::Live { status, body: page(&frame, main) }
}

/// The page as it is sent.
pub(super) fn page(frame: &Frame<'_>, main: &Markup) -> Vec<u8> {
    let Frame { title, section, about, twin, scripts } = *frame;
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) @if title != "pricebook" { " · pricebook" } }
                meta name="description" content=(about);
                link rel="icon" type="image/svg+xml" href=(assets::path("icon.svg"));
                link rel="stylesheet" href=(assets::path("style.css"));
                @if let Some(twin) = twin { link rel="alternate" type="text/markdown" href=(twin); }
                @for script in scripts { script type="module" src=(assets::path(script)) {} }
            }
            body {
                a class="skip" href="#main" { "Skip to content" }
                header class="site" {
                    a class="name" href="/" { "pricebook" }
                    nav aria-label="Site" {
                        @for &(place, path, name) in PLACES {
                            a href=(path) aria-current=[(place == section).then_some("page")] { (name) }
                        }
                    }
                }
                main id="main" { (main) }
                footer class="site" {
                    a href="/docs/methodology" { "What the figures mean" }
                    a href="/openapi.json" { "OpenAPI" }
                    a href="/llms.txt" { "llms.txt" }
                    a href="/problems" { "Errors" }
                }
            }
        }
    };
    whole.into_string().into_bytes()
}
