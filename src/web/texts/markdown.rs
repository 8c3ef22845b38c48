//! Markdown as HTML. Anchors come from the text: a heading has one, a paragraph that begins with a bold name and a full
//! stop ("**Price bands.**"), and a row of a table that begins with a name in code, under its heading's
//! (`#answer.best_price`).

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use crate::lang::text::slug;

/// Extensions of plain Markdown that are read.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Headings from which a page has a table of contents.
const CONTENTS_MIN: usize = 4;

/// A page's text.
pub(super) struct Page {
    /// Its first heading.
    pub(super) title: String,
    /// Everything, HTML.
    body: String,
    /// Anchors and texts of the headings of the second level.
    contents: Vec<(String, String)>,
}

impl Page {
    /// Makes HTML of Markdown. What it holds of HTML itself is shown as text.
    pub(super) fn of(markdown: &str) -> Self {
        let events: Vec<Event<'_>> = Parser::new_ext(markdown, OPTIONS).filter_map(without_html).collect();
        let mut making = Making::default();
        making.walk(&events);
        let mut body = String::new();
        push_html(&mut body, making.events.into_iter());
        Self { title: making.title, body, contents: making.contents }
    }

    /// The page between header and footer.
    pub(super) fn shown(&self, twin: &str) -> Markup {
        html! {
            div class="text" {
                @if self.contents.len() >= CONTENTS_MIN {
                    nav class="contents" aria-label="On this page" {
                        ul { @for (anchor, text) in &self.contents { li { a href={ "#" (anchor) } { (text) } } } }
                    }
                }
                article {
                    (PreEscaped(&self.body))
                    p class="twin" { a href=(twin) type="text/markdown" { "This page as Markdown" } }
                }
            }
        }
    }
}

/// HTML in Markdown is text here: nothing of ours needs it, and nothing of others may come in by it. Comments, which say
/// what of a document is derived, are nothing.
fn without_html(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) if text.trim_start().starts_with("<!--") => None,
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        event => Some(event),
    }
}

/// The page that is being written.
#[derive(Default)]
struct Making<'a> {
    title: String,
    contents: Vec<(String, String)>,
    anchors: BTreeSet<String>,
    /// The anchor of the heading that is read, and its text.
    heading: String,
    heading_text: String,
    events: Vec<Event<'a>>,
}

impl<'a> Making<'a> {
    fn walk(&mut self, events: &[Event<'a>]) {
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => self.head(*level, &text_of(&events[at..])),
                Event::End(TagEnd::Heading(level)) => {
                    let (anchor, level) = (self.heading.clone(), *level as usize);
                    let label = format!("Link to {}", self.heading_text);
                    let link =
                        html! { " " a class="anchor" href={ "#" (anchor) } aria-label=(label) { "#" } };
                    self.html(format!(
                        "{}</h{level}>\n",
                        if level == 1 { String::new() } else { link.into_string() }
                    ));
                }
                Event::Start(Tag::Paragraph) => match name_of(&events[at..]) {
                    Some(name) => {
                        let anchor = self.anchor(&slug(&name));
                        self.html(
                            html! { (PreEscaped("<p id=\"")) (anchor) (PreEscaped("\">")) }.into_string(),
                        );
                    }
                    None => self.events.push(event.clone()),
                },
                // Alignment would be a style in the HTML, which the page may not have.
                Event::Start(Tag::Table(columns)) => {
                    let open = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: ";
                    self.html(
                        html! { (PreEscaped(open)) (self.heading_text) (PreEscaped("\">")) }.into_string(),
                    );
                    self.events.push(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
                }
                Event::End(TagEnd::Table) => {
                    self.events.push(event.clone());
                    self.html("</div>\n".to_owned());
                }
                // The renderer writes the row itself; its anchor stands in the first cell.
                Event::Start(Tag::TableCell)
                    if matches!(events.get(at.wrapping_sub(1)), Some(Event::Start(Tag::TableRow))) =>
                {
                    self.events.push(event.clone());
                    if let Some(Event::Code(code)) = events.get(at + 1) {
                        let wanted = format!("{}.{code}", self.heading);
                        let anchor = self.anchor(&wanted);
                        self.html(html! { span class="row" id=(anchor) {} }.into_string());
                    }
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        pulldown_cmark::CodeBlockKind::Fenced(language) => language.to_string(),
                        pulldown_cmark::CodeBlockKind::Indented => String::new(),
                    };
                    self.html(html! { (PreEscaped("<pre tabindex=\"0\" data-language=\"")) (language) (PreEscaped("\"><code>")) }.into_string());
                }
                Event::End(TagEnd::CodeBlock) => self.html("</code></pre>\n".to_owned()),
                event => self.events.push(event.clone()),
            }
        }
    }

    fn head(&mut self, level: HeadingLevel, text: &str) {
        if level == HeadingLevel::H1 && self.title.is_empty() {
            text.clone_into(&mut self.title);
        }
        self.heading = self.anchor(&slug(text));
        text.clone_into(&mut self.heading_text);
        if level == HeadingLevel::H2 {
            self.contents.push((self.heading.clone(), text.to_owned()));
        }
        let (level, anchor) = (level as usize, self.heading.clone());
        self.html(
            html! { (PreEscaped(format!("<h{level} id=\""))) (anchor) (PreEscaped("\">")) }.into_string(),
        );
    }

    /// An anchor that nothing on the page has yet.
    fn anchor(&mut self, wanted: &str) -> String {
        let others = (2..).map(|number| format!("{wanted}-{number}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(others);
        let anchor = candidates.find(|anchor| !self.anchors.contains(anchor)).unwrap_or_default();
        self.anchors.insert(anchor.clone());
        anchor
    }

    fn html(&mut self, html: String) {
        self.events.push(Event::Html(CowStr::from(html)));
    }
}

/// The text of the heading that begins here.
fn text_of(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(&**text),
            _ => None,
        })
        .collect()
}

/// The name that the paragraph that begins here opens with: "**Price bands.**".
fn name_of(events: &[Event<'_>]) -> Option<String> {
    match events {
        [_, Event::Start(Tag::Strong), Event::Text(name), Event::End(TagEnd::Strong), ..] => {
            name.strip_suffix('.').map(str::to_owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_come_from_the_text() {
        let page = Page::of(
            "# A `b` c\n\n**Price bands.** x\n\n<!-- note -->\n## Answer\n\n| f | g |\n|---|---|\n| `p.q` | <b>&amp; |\n\n## Answer\n",
        );
        assert_eq!(page.title, "A b c");
        for part in [
            "<h1 id=\"a-b-c\">",
            "<p id=\"price-bands\">",
            "<h2 id=\"answer\">",
            "id=\"answer.p.q\"",
            "&lt;b&gt;",
            "<h2 id=\"answer-2\">",
        ] {
            assert!(page.body.contains(part), "{part} in {}", page.body);
        }
        assert_eq!(page.contents.len(), 2);
        assert!(!page.body.contains("<b>") && !page.body.contains("note"));
    }

    #[test]
    fn code_is_text() {
        let body = Page::of("```html\n<script>\"'&</script>\n```\n").body;
        assert!(body.contains("&lt;script&gt;") && body.contains("data-language=\"html\""), "{body}");
    }
}
