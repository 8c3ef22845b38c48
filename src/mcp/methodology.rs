//! The definitions of the figures as MCP resources: the parts of `docs/methodology.md`, which is compiled into the
//! program.
//!
//! A section that begins with the heading of a figure is split into its figures. Any other section is one part.

use std::sync::LazyLock;

use rmcp::model::Resource;

use crate::lang::text::slug;

const DOCUMENT: &str = include_str!("../../docs/methodology.md");
pub(super) const MARKDOWN: &str = "text/markdown";
const ROOT: &str = "pricebook://methodology/";

/// Start of a figure's heading, including the line end before it.
const FIGURE: &str = "\n### ";

/// A part of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodologyPart {
    /// URI: `pricebook://methodology/` and the slug of the title.
    pub uri: String,
    /// Title.
    pub title: &'static str,
    /// Text.
    pub text: &'static str,
}

/// The parts, in the order of the document.
pub fn sections() -> &'static [MethodologyPart] {
    static PARTS: LazyLock<Vec<MethodologyPart>> = LazyLock::new(|| parts(DOCUMENT));
    &PARTS
}

/// The parts as entries of `resources/list`.
pub(super) fn list() -> Vec<Resource> {
    let resource = |part: &MethodologyPart| {
        Resource::new(&*part.uri, part.title).with_mime_type(MARKDOWN).with_size(part.text.len() as u64)
    };
    sections().iter().map(resource).collect()
}

/// The part with this URI.
pub(super) fn find(uri: &str) -> Option<&'static MethodologyPart> {
    sections().iter().find(|part| part.uri == uri)
}

fn parts(document: &'static str) -> Vec<MethodologyPart> {
    cut(document, "\n## ")
        .flat_map(|(title, text)| {
            let figures = || cut(text, FIGURE).map(|(title, text)| part(title, text)).collect();
            if text.starts_with(FIGURE) { figures() } else { vec![part(title, text)] }
        })
        .collect()
}

/// Splits a text at its headings. Returns the title and the text of each part.
fn cut(text: &'static str, heading: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let headed = text.split(heading).skip(1).filter_map(|part| part.split_once('\n'));
    headed.map(|(title, text)| (title, text.trim_end()))
}

fn part(title: &'static str, text: &'static str) -> MethodologyPart {
    MethodologyPart { uri: format!("{ROOT}{}", slug(title)), title, text: text.trim_start() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_name_of_its_own() {
        let parts = sections();
        let mut names: Vec<&str> = parts.iter().map(|part| &*part.uri).collect();
        for known in
            ["ground-rules", "finding-a-product", "best-price", "inflation-like-for-like", "price-bands"]
        {
            assert!(names.contains(&&*format!("{ROOT}{known}")), "{known}: {names:?}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), parts.len());
        let whole: usize = parts.iter().map(|part| part.text.len()).sum();
        assert!(whole * 10 > DOCUMENT.len() * 9, "little is lost: {whole} of {}", DOCUMENT.len());
    }
}
