//! The documents of the repository, as pages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::links::rewritten;
use super::{TWIN, Text};
use crate::web::layout::Section;

/// Where their index is.
pub(super) const PATH: &str = "/docs";

macro_rules! documents {
    ($($file:literal: $about:literal),* $(,)?) => {
        &[$(($file, $about, include_str!(concat!("../../../", $file)))),*]
    };
}

/// File, what it is for, and its text, in the order of reading.
static DOCUMENTS: &[(&str, &str, &str)] = documents![
    "docs/tutorial.md": "From the files of two shops to a running paid API, in twenty minutes.",
    "docs/methodology.md": "Definitions of all figures: formulas, conditions, worked examples.",
    "docs/clients.md": "Clients in Python and TypeScript, and how they pay.",
    "docs/agents.md": "The routes as tools of AI agents, over MCP.",
    "docs/formats.md": "Answers as CSV, NDJSON, Arrow and Parquet, and their columns.",
    "docs/command-line.md": "All commands, and queries without a server.",
    "docs/input.md": "Formats and columns of price lists, and the reasons for rejecting a row.",
    "docs/lexicon.md": "The words and units by which names are read, and how to add some.",
    "docs/builds.md": "From price lists to a snapshot: memory, increments, recovery of an interrupted build.",
    "docs/engine.md": "Distributed builds on many machines.",
    "docs/snapshots.md": "Activation and rollback of a snapshot.",
    "docs/export.md": "The cleaned tables as Parquet, for other engines.",
    "docs/channels.md": "Payment in one round trip: deposits, vouchers, refunds, and the risk of the operator.",
    "docs/operations.md": "Running a server: proxies, TLS, systemd, backups, upgrades, keys, monitoring.",
    "docs/rails.md": "Adding a payment rail to the program.",
    "SECURITY.md": "Attacks that the server defends against, and those left to its operator.",
    "docs/reliability.md": "Guarantees when disks fail, processes are killed and clients misbehave.",
    "docs/style.md": "Rules for documents, messages, comments and names.",
    "docs/benchmarks.md": "Measured speed, the method of measurement, and comparisons with other programs.",
    "CHANGELOG.md": "Changes, the newest first.",
];

/// Where the file of the repository is served.
static PLACES: LazyLock<BTreeMap<&str, String>> =
    LazyLock::new(|| DOCUMENTS.iter().map(|(file, ..)| (*file, place(file))).collect());

fn place(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or_default().trim_end_matches(TWIN);
    format!("{PATH}/{}", name.to_lowercase())
}

/// The pages.
pub(super) fn texts() -> impl Iterator<Item = Text> {
    let documents = DOCUMENTS.iter().map(|&(file, about, text)| Text {
        path: place(file),
        section: Section::Docs,
        about: about.to_owned(),
        markdown: rewritten(text, |target| lead(file, target)),
    });
    std::iter::once(index()).chain(documents)
}

fn index() -> Text {
    let line = |(file, about, text): &(&str, &str, &str)| {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        format!("- [{title}]({}): {about}\n", place(file))
    };
    let lines: String = DOCUMENTS.iter().map(line).collect();
    let about = "Documents on the figures, clients, your own data and running a server.";
    let markdown = format!(
        "# Documents\n\n{lines}\nEvery route, parameter, field and error is in the [reference](/reference).\n"
    );
    Text { path: PATH.to_owned(), section: Section::Docs, about: about.to_owned(), markdown }
}

/// Where a link of a file leads on this site; `None` where what it leads to is not served.
fn lead(file: &str, target: &str) -> Option<String> {
    if target.starts_with('#') || target.contains("://") {
        return Some(target.to_owned());
    }
    let (path, fragment) = target.split_once('#').map_or((target, ""), |(path, fragment)| (path, fragment));
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            ".." => drop(segments.pop()),
            "." | "" => {}
            segment => segments.push(segment),
        }
    }
    let place = PLACES.get(&*segments.join("/"))?;
    Some(if fragment.is_empty() { place.clone() } else { format!("{place}#{fragment}") })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_document_is_a_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
        let files = fs::read_dir(folder).expect("docs").map(|entry| entry.expect("a file").file_name());
        let files: Vec<String> = files.map(|name| format!("docs/{}", name.to_string_lossy())).collect();
        for file in files.iter().filter(|file| file.ends_with(TWIN)) {
            assert!(PLACES.contains_key(&**file), "{file} is served");
        }
    }

    #[test]
    fn links_lead_to_pages() {
        assert_eq!(lead("docs/input.md", "builds.md#memory").as_deref(), Some("/docs/builds#memory"));
        assert_eq!(lead("docs/input.md", "../SECURITY.md").as_deref(), Some("/docs/security"));
        assert_eq!(lead("SECURITY.md", "docs/rails.md").as_deref(), Some("/docs/rails"));
        assert_eq!(lead("docs/input.md", "../src/main.rs"), None);
        assert_eq!(lead("docs/input.md", "#rows").as_deref(), Some("#rows"));
    }
}
