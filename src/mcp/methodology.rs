//! What the figures mean, as resources: the parts of `docs/methodology.md`, which is compiled in.
//!
//! A section that begins with a figure (`**Name.**` at the start of a paragraph) is cut into its figures; any other is
//! one part.

use std::sync::LazyLock;

use rmcp::model::Resource;

use crate::domain::text::slug;

const DOCUMENT: &str = include_str!("../../docs/methodology.md");
pub(super) const MARKDOWN: &str = "text/markdown";
const ROOT: &str = "pricebook://methodology/";

/// A part of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodologyPart {
    /// Where it is read: `pricebook://methodology/` and its title in slug form.
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

/// The parts as they are listed.
pub(super) fn list() -> Vec<Resource> {
    let resource = |part: &MethodologyPart| {
        Resource::new(&*part.uri, part.title).with_mime_type(MARKDOWN).with_size(part.text.len() as u64)
    };
    sections().iter().map(resource).collect()
}

/// The part of this URI.
pub(super) fn find(uri: &str) -> Option<&'static MethodologyPart> {
    sections().iter().find(|part| part.uri == uri)
}

fn parts(document: &'static str) -> Vec<MethodologyPart> {
    let sections = document.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    sections
        .flat_map(|(title, text)| {
            let text = text.trim();
            if figure(text).is_some() { figures(text) } else { vec![part(title, text)] }
        })
        .collect()
}

/// A section that is a list of figures, cut before each.
fn figures(text: &'static str) -> Vec<MethodologyPart> {
    let starts = text.match_indices("\n\n").map(|(at, gap)| at + gap.len());
    let starts = [0].into_iter().chain(starts).filter(|&at| figure(&text[at..]).is_some());
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let cut = starts.iter().zip(ends).map(|(&from, to)| text[from..to].trim());
    cut.filter_map(|text| Some(part(figure(text)?, text))).collect()
}

/// The name of the figure that a paragraph begins with.
fn figure(text: &'static str) -> Option<&'static str> {
    text.strip_prefix("**")?.split_once("**")?.0.strip_suffix('.')
}

fn part(title: &'static str, text: &'static str) -> MethodologyPart {
    MethodologyPart { uri: format!("{ROOT}{}", slug(title)), title, text }
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
