//! Pages that are written as Markdown: made once, each with a twin that is the Markdown itself.

use std::collections::BTreeMap;

use crate::http::site::Shown;

/// The name under which their requests are counted.
pub(super) const COUNTED_AS: &str = "/docs/";

/// The pages by path.
pub(super) struct Texts {
    pages: BTreeMap<String, TextPage>,
}

/// One of them.
pub(super) struct TextPage {
    media_type: &'static str,
    body: Vec<u8>,
}

impl Texts {
    /// The pages of a server whose interface this OpenAPI document describes.
    ///
    /// # Errors
    /// When the document is no JSON.
    pub(super) fn new(_openapi: &[u8]) -> serde_json::Result<Self> {
        Ok(Self { pages: BTreeMap::new() })
    }

    /// The page at a path.
    pub(super) fn page(&self, path: &str) -> Option<&TextPage> {
        self.pages.get(path)
    }
}

impl TextPage {
    /// The page as it is sent.
    pub(super) fn shown(&self) -> Shown {
        Shown::Page { media_type: self.media_type, body: self.body.clone() }
    }
}
