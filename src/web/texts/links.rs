//! Links of Markdown, led elsewhere.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::markdown::OPTIONS;
use super::{TWIN, root};

/// The Markdown with every link led to where `lead` says; a link that leads nowhere leaves its text.
pub(super) fn rewritten(markdown: &str, lead: impl Fn(&str) -> Option<String>) -> String {
    let events = Parser::new_ext(markdown, OPTIONS).into_offset_iter();
    let links = events.filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) => {
            Some((range, dest_url.into_string()))
        }
        _ => None,
    });
    let links: Vec<(Range<usize>, String)> = links.collect();
    let mut text = markdown.to_owned();
    for (range, target) in links.into_iter().rev() {
        // `[text](target)`
        let Some(shown) =
            text[range.clone()].rfind("](").map(|end| text[range.start + 1..range.start + end].to_owned())
        else {
            continue;
        };
        let link = match lead(&target) {
            Some(target) => format!("[{shown}]({target})"),
            None => shown,
        };
        text.replace_range(range, &link);
    }
    text
}

/// The twin of a page of text; any other place as it is.
pub(super) fn twin(target: &str) -> String {
    let (path, fragment) =
        target.split_once('#').map_or((target, None), |(path, fragment)| (path, Some(fragment)));
    let path = if root(path).is_some() { format!("{path}{TWIN}") } else { path.to_owned() };
    fragment.map_or_else(|| path.clone(), |fragment| format!("{path}#{fragment}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_led_or_left_out() {
        let markdown =
            "See [`a`](a.md#x), [b](b.rs) and `[c](d)`.\n\n| [e](https://e) |\n|---|\n| [f](#f) |\n";
        let lead = |target: &str| (target != "b.rs").then(|| target.to_uppercase());
        let expected = "See [`a`](A.MD#X), b and `[c](d)`.\n\n| [e](HTTPS://E) |\n|---|\n| [f](#F) |\n";
        assert_eq!(rewritten(markdown, lead), expected);
        assert_eq!(twin("/docs/input#rows"), "/docs/input.md#rows");
        assert_eq!(
            (twin("/docs"), twin("/docsx"), twin("#a")),
            ("/docs.md".into(), "/docsx".into(), "#a".into())
        );
    }
}
