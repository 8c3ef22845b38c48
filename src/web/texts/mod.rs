//! Pages that are written as Markdown: made once, each with a twin at `.md` that is the Markdown itself.
//!
//! `reference` and `problems` write Markdown out of the OpenAPI document, `docs` has the documents of the repository,
//! `markdown` makes HTML of all of them, and `links` leads from one to the other.

mod docs;
mod links;
mod markdown;
mod problems;
mod reference;
mod schema;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::layout::{self, Frame, Section};
use crate::query::endpoint::Route;
use crate::server::pages::PageResponse;
use crate::server::respond::{HTML, MARKDOWN};

/// The places that they lie at or under, which are the names that their requests are counted by.
pub(super) const ROOTS: [&str; 3] = [docs::PATH, problems::PATH, reference::PATH];

/// Ending of the paths of Markdown.
const TWIN: &str = ".md";

/// A page before it is made.
struct Text {
    /// Where it is served.
    path: String,
    section: Section,
    /// One sentence on what it is.
    about: String,
    /// Markdown whose links lead to pages of this site; its first line is the title.
    markdown: String,
}

/// The pages by path.
pub(super) struct Texts {
    pages: BTreeMap<String, TextPage>,
}

/// One of them.
pub(super) struct TextPage {
    text: Text,
    html: OnceLock<Vec<u8>>,
}

/// The page at a path.
pub(super) enum TextForm<'a> {
    Page(&'a TextPage),
    Twin(&'a TextPage),
}

impl Texts {
    /// The pages of a server with these routes, which this OpenAPI document describes, and that clients know as `base`.
    ///
    /// # Errors
    /// When the document is no JSON.
    pub(super) fn new(routes: &[Route], openapi: &[u8], base: &str) -> serde_json::Result<Self> {
        let document: Value = serde_json::from_slice(openapi)?;
        let texts = reference::texts(routes, &document, base).into_iter();
        let texts = texts.chain(problems::texts(&document)).chain(docs::texts());
        let pages = texts.map(|text| (text.path.clone(), TextPage { text, html: OnceLock::new() }));
        Ok(Self { pages: pages.collect() })
    }

    /// The page at a path.
    pub(super) fn page(&self, path: &str) -> Option<TextForm<'_>> {
        let page = self.pages.get(path).map(TextForm::Page);
        page.or_else(|| self.pages.get(path.strip_suffix(TWIN)?).map(TextForm::Twin))
    }
}

/// The root that a path of a page lies at or under.
pub(super) fn root(path: &str) -> Option<&'static str> {
    let is_under = |root: &str| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
    };
    ROOTS.into_iter().find(|root| is_under(root))
}

impl TextForm<'_> {
    /// The page as it is sent.
    pub(super) fn shown(&self) -> PageResponse {
        let (media_type, body) = match self {
            Self::Page(page) => (HTML, page.html.get_or_init(|| page.text.html()).clone()),
            Self::Twin(page) => (MARKDOWN, page.text.twin().into_bytes()),
        };
        PageResponse::Page { media_type, body }
    }
}

impl Text {
    /// Made into HTML when somebody first looks at it.
    fn html(&self) -> Vec<u8> {
        let page = markdown::Page::of(&self.markdown);
        let twin = format!("{}{TWIN}", self.path);
        let Self { section, about, .. } = self;
        let frame = Frame { title: &page.title, section: *section, about, twin: Some(&twin), scripts: &[] };
        layout::page(&frame, &page.shown(&twin))
    }

    /// The Markdown, whose links lead to twins.
    fn twin(&self) -> String {
        links::rewritten(&self.markdown, |target| Some(links::twin(target)))
    }
}
