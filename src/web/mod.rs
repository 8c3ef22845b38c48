//! Pages for people: a front page and forms that ask every route, what the catalog covers, the reference of the interface,
//! a page for each error, and the documents of the repository.
//!
//! `layout` is what all pages have around them, `assets` the files that browsers load besides, `text` the pages that are
//! written as Markdown and made once at the start (each has a twin at `.md`): `reference` and `problems` out of the
//! OpenAPI document, `docs` out of the repository. `explorer`, `front` and `coverage` are made for each visitor, from what
//! the pipeline answers to the visitor's own requests. Everything works without JavaScript; scripts draw and suggest.

mod assets;
mod layout;
mod text;

use maud::html;

use crate::http::site::{Showing, Shown, Site, Visitor};
use layout::{Frame, Section};
use text::Texts;

/// The front page.
const FRONT: &str = "/";

/// Names under which requests of pages are counted.
const NAMES: &[&str] = &[FRONT, assets::COUNTED_AS, text::COUNTED_AS];

/// The pages.
pub struct Website {
    texts: Texts,
}

impl Website {
    /// The pages of a server whose interface this OpenAPI document describes.
    ///
    /// # Errors
    /// When the document is no JSON.
    pub fn new(openapi: &[u8]) -> serde_json::Result<Self> {
        Ok(Self { texts: Texts::new(openapi)? })
    }
}

impl Site for Website {
    fn counted_as(&self, path: &str) -> Option<&'static str> {
        if path == FRONT {
            return Some(FRONT);
        }
        let asset = assets::find(path).map(|_| assets::COUNTED_AS);
        asset.or_else(|| self.texts.page(path).map(|_| text::COUNTED_AS))
    }

    fn names(&self) -> &'static [&'static str] {
        NAMES
    }

    fn show<'a>(&'a self, visitor: &'a Visitor<'a>) -> Showing<'a> {
        if let Some(asset) = assets::find(visitor.path) {
            return Box::pin(std::future::ready(asset.shown(visitor.headers)));
        }
        if let Some(page) = self.texts.page(visitor.path) {
            return Box::pin(std::future::ready(page.shown()));
        }
        let frame =
            Frame { title: "pricebook", section: Section::Front, about: "Retail prices", scripts: &[] };
        let body = layout::page(&frame, &html! { h1 { "pricebook" } });
        Box::pin(std::future::ready(Shown::Page { media_type: crate::http::respond::HTML, body }))
    }

    fn missing(&self, path: &str) -> Vec<u8> {
        let frame = Frame {
            title: "No such page",
            section: Section::None,
            about: "There is nothing at this address.",
            scripts: &[],
        };
        layout::page(
            &frame,
            &html! {
                h1 { "No such page" }
                p { "There is nothing at " code { (path) } "." }
                p { a href=(FRONT) { "Explore the prices" } ", or look into the " a href="/reference" { "reference" } "." }
            },
        )
    }
}
