//! A proposed mapping as a file: what was found is written, what has to be decided stands behind `#`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::layer::glob;
use super::{InputTable, Proposal, ProposedColumn};
use crate::build::ingest::forms::Ambiguity;
use crate::snapshot::tables::{ListingInput, ObservationInput};

/// Columns that may well hold for all rows of a file.
const CONSTANT: [&str; 3] =
    [ListingInput::Country.name(), ListingInput::Platform.name(), ObservationInput::Date.name()];
/// The setting that only observations heed.
const DATES: &str = "dates";
/// What opens the file.
const HEAD: &str =
    "# What your columns seem to mean: ours = yours. Check it, then build with --map and this file.\n";

/// A file of an input, and what it seems to need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProposal {
    /// Its path, as reports name it.
    pub path: String,
    /// What it holds; `None` for both tables in one.
    pub table: Option<InputTable>,
    /// What it lacks.
    pub proposal: Proposal,
    /// Forms of its values that nothing decides.
    pub forms: Vec<Ambiguity>,
}

impl FileProposal {
    /// Whether a column belongs to what the file holds.
    fn holds(&self, ours: &str) -> bool {
        let tables = InputTable::ALL.into_iter().filter(|table| self.table.is_none_or(|own| own == *table));
        tables.flat_map(InputTable::columns).any(|column| column.name == ours)
    }

    fn lacks(&self, ours: &str) -> bool {
        self.proposal.missing.iter().any(|column| column.ours == ours)
    }

    /// What it needs, without what only explains it: files that need the same have one section.
    fn needs(&self, said: &BTreeSet<&str>) -> Needs<'_> {
        let columns = self.proposal.columns.iter().map(|column| (column.ours, column.theirs.as_str()));
        let missing = self.proposal.missing.iter().map(|column| column.ours);
        Needs {
            columns: columns.collect(),
            missing: missing.filter(|ours| !said.contains(ours)).collect(),
            forms: self.forms.iter().map(|form| form.settings.as_str()).collect(),
        }
    }
}

/// What a file needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Needs<'a> {
    columns: BTreeSet<(&'static str, &'a str)>,
    missing: BTreeSet<&'static str>,
    forms: BTreeSet<&'a str>,
}

impl Needs<'_> {
    fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.missing.is_empty() && self.forms.is_empty()
    }
}

impl Proposal {
    /// The mapping that all files of an input seem to need, those that need nothing among them. Where files of one
    /// table need the same it has no sources.
    pub fn toml(files: &[FileProposal]) -> String {
        let mut text = String::from(HEAD);
        // What no file says is asked for once.
        let nowhere = |ours: &&str| {
            files.iter().any(|file| file.lacks(ours))
                && files.iter().all(|file| file.lacks(ours) || !file.holds(ours))
        };
        let said: BTreeSet<&str> = CONSTANT.into_iter().filter(nowhere).collect();
        if is_level(files, &said) {
            forms(&mut text, files);
            level_columns(&mut text, files);
            constants(&mut text, "", files, |ours| said.contains(ours));
        } else {
            constants(&mut text, "", files, |ours| said.contains(ours));
            sources(&mut text, files, &said);
        }
        text
    }
}

/// Whether one top level can say what all files need, and nothing that one of them does not.
fn is_level(files: &[FileProposal], said: &BTreeSet<&str>) -> bool {
    let of = |table| files.iter().filter(move |file| file.table == table);
    let agree = [None, Some(InputTable::Listings), Some(InputTable::Observations)].into_iter().all(|table| {
        let mut needs = of(table).map(|file| file.needs(said));
        let first = needs.next();
        needs.all(|other| Some(&other) == first.as_ref())
    });
    let is_mixed = of(None).next().is_some() && files.iter().any(|file| file.table.is_some());
    let constant = |file: &FileProposal| {
        let needs = file.needs(said);
        needs.missing.iter().any(|ours| CONSTANT.contains(ours))
    };
    let everywhere = |settings: &str| {
        settings.starts_with(DATES)
            || files.iter().all(|file| file.forms.iter().any(|form| form.settings == settings))
    };
    agree
        && !is_mixed
        && !files.iter().any(constant)
        && files.iter().flat_map(|file| &file.forms).all(|form| everywhere(&form.settings))
}

/// The columns of files of one table, or of two: what both say alike, or only one of them can say, holds for both.
fn level_columns(text: &mut String, files: &[FileProposal]) {
    let tables: BTreeMap<Option<InputTable>, &FileProposal> =
        files.iter().rev().map(|file| (file.table, file)).collect();
    let says = |file: &FileProposal, column: &ProposedColumn| {
        !file.holds(column.ours)
            || file.proposal.columns.iter().any(|own| own.theirs == column.theirs && own.ours == column.ours)
    };
    let is_common = |column: &ProposedColumn| tables.values().all(|file| says(file, column));
    let mut lines = Lines::default();
    for file in tables.values() {
        file.proposal
            .columns
            .iter()
            .filter(|column| is_common(column))
            .for_each(|column| lines.column(column));
        lines.missing(file);
    }
    lines.write(text, "[columns]");
    for (table, file) in &tables {
        let mut lines = Lines::default();
        file.proposal
            .columns
            .iter()
            .filter(|column| !is_common(column))
            .for_each(|column| lines.column(column));
        lines.write(text, &format!("[{}.columns]", table.map_or("", InputTable::as_str)));
    }
}

/// A source for each kind of need.
fn sources(text: &mut String, files: &[FileProposal], said: &BTreeSet<&str>) {
    let mut groups: Vec<(Needs<'_>, Vec<&FileProposal>)> = Vec::new();
    for file in files {
        let needs = file.needs(said);
        match groups.iter_mut().find(|(known, _)| *known == needs) {
            Some((_, members)) => members.push(file),
            None => groups.push((needs, vec![file])),
        }
    }
    // Where a path is the end of another, the longer one has to come first.
    groups.sort_by_key(|(_, files)| Reverse(files.iter().map(|file| file.path.len()).min()));
    let paths: Vec<Vec<&str>> =
        groups.iter().map(|(_, files)| files.iter().map(|file| file.path.as_str()).collect()).collect();
    let patterns: Vec<String> = (0..groups.len())
        .map(|at| {
            let others = paths.iter().enumerate().filter(|(other, _)| *other != at);
            pattern(&paths[at], &others.flat_map(|(_, paths)| paths.iter().copied()).collect::<Vec<_>>())
        })
        .collect();
    for (at, (needs, members)) in groups.iter().enumerate() {
        let is_caught = |later: &usize| {
            !groups[*later].0.is_empty() && paths[at].iter().any(|path| matches(&patterns[*later], path))
        };
        if needs.is_empty() && !(at + 1..groups.len()).any(|later| is_caught(&later)) {
            continue;
        }
        let _ = write!(text, "\n[[source]]\nfiles = {}\n", in_quotes(&patterns[at]));
        let members: Vec<FileProposal> = members.iter().map(|file| (*file).clone()).collect();
        forms(text, &members);
        let mut lines = Lines::default();
        members[0].proposal.columns.iter().for_each(|column| lines.column(column));
        lines.missing(&members[0]);
        lines.write(text, "[source.columns]");
        constants(text, "source.", &members, |ours| !said.contains(ours));
    }
}

/// The lines of a table, each key once.
#[derive(Default)]
struct Lines {
    keys: BTreeSet<&'static str>,
    text: String,
}

impl Lines {
    fn column(&mut self, ProposedColumn { ours, theirs, or, instead }: &ProposedColumn) {
        if !self.keys.insert(ours) {
            return;
        }
        let mut notes: Vec<String> = Vec::new();
        if !or.is_empty() {
            notes
                .push(format!("or {}", or.iter().map(|name| in_quotes(name)).collect::<Vec<_>>().join(", ")));
        }
        if !instead.is_empty() {
            notes.push(format!("it may also be {}", instead.join(" or ")));
        }
        let note = if notes.is_empty() { String::new() } else { format!("    # {}", notes.join("; ")) };
        let _ = writeln!(self.text, "{ours} = {}{note}", in_quotes(theirs));
    }

    /// Required columns that have to be one of the file.
    fn missing(&mut self, file: &FileProposal) {
        for column in file.proposal.missing.iter().filter(|column| !CONSTANT.contains(&column.ours)) {
            if !self.keys.insert(column.ours) {
                continue;
            }
            let (theirs, note) = match column.or.first() {
                Some(name) => (in_quotes(name), "if it means this"),
                None => (in_quotes("..."), "no column looks like it: write which one it is"),
            };
            let _ = writeln!(self.text, "# {} = {theirs}    # required; {note}", column.ours);
        }
    }

    fn write(self, text: &mut String, title: &str) {
        if !self.text.is_empty() {
            let _ = write!(text, "\n{title}\n{}", self.text);
        }
    }
}

/// Required columns that may hold for all rows, of those that count.
fn constants(text: &mut String, prefix: &str, files: &[FileProposal], counts: impl Fn(&str) -> bool) {
    let missing = files.iter().flat_map(|file| &file.proposal.missing);
    let missing: Vec<_> =
        missing.filter(|column| CONSTANT.contains(&column.ours) && counts(column.ours)).collect();
    let mut lines = Lines::default();
    for ours in CONSTANT {
        let Some(column) = missing.iter().find(|column| column.ours == ours) else { continue };
        let mut note = String::from("no column says it");
        if let Some(name) = column.or.first() {
            let _ = write!(note, ", unless {} does", in_quotes(name));
        }
        let _ = writeln!(lines.text, "# {ours} = {}    # required; {note}", in_quotes(column.example));
    }
    lines.write(text, &format!("[{prefix}constants]"));
}

/// Each undecided form as two settings of which one is to be chosen, with the first file's reason.
fn forms(text: &mut String, files: &[FileProposal]) {
    let mut keys = BTreeSet::new();
    for (file, form) in files.iter().flat_map(|file| file.forms.iter().map(move |form| (file, form))) {
        let parts: Vec<&str> = form.settings.split('"').collect();
        let [key, one, _, other, ..] = parts[..] else { continue };
        if !keys.insert(key) {
            continue;
        }
        let place = if files.len() > 1 { format!("{}, ", file.path) } else { String::new() };
        let [first, second] = &form.readings;
        let because = plain(&format!("{} ({place}line {}) is {first}", form.value, form.line));
        let _ = writeln!(text, "# {key}{}    # {because}", in_quotes(one));
        let _ = writeln!(text, "# {key}{}    # ... or {}: remove one '#'", in_quotes(other), plain(second));
    }
}

/// A pattern that matches all members and none of the others: as short a one as is easily seen, else all paths.
fn pattern(members: &[&str], others: &[&str]) -> String {
    let (folders, names): (Vec<&str>, Vec<&str>) = members.iter().map(|path| split(path)).unzip();
    let end = common(&names, |one, other| equal(one.chars().rev().zip(other.chars().rev())));
    let ending = names[0].get(names[0].len() - end..).unwrap_or("");
    let ending = ending.find('.').map_or("", |at| &ending[at..]);
    let start = common(&folders, |one, other| equal(one.chars().zip(other.chars())));
    let folder = split(folders[0].get(..start).unwrap_or("")).0;
    let mut candidates = Vec::new();
    if members.len() > 1 && !ending.is_empty() {
        candidates.push(format!("{}*{}", escaped(folder), escaped(ending)));
        candidates.push(format!("{}**/*{}", escaped(folder), escaped(ending)));
    }
    let fits = |candidate: &String| {
        members.iter().all(|path| matches(candidate, path))
            && !others.iter().any(|path| matches(candidate, path))
    };
    candidates.into_iter().find(fits).unwrap_or_else(|| {
        let paths: Vec<String> = members.iter().map(|path| escaped(path)).collect();
        if let [path] = &paths[..] { path.clone() } else { format!("{{{}}}", paths.join(",")) }
    })
}

fn matches(pattern: &str, path: &str) -> bool {
    glob(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// The folder of a path, with its last `/`, and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |at| at + 1))
}

/// Bytes of the letters that are equal, up to the first that are not.
fn equal(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// The least that the first text has in common with any other, in bytes.
fn common(texts: &[&str], of: impl Fn(&str, &str) -> usize) -> usize {
    texts.iter().map(|text| of(texts[0], text)).min().unwrap_or(0)
}

/// A path in which nothing is a wildcard.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '?' | '*' | '[' | ']' | '{' | '}' | ',' => escaped.extend(['[', letter, ']']),
            '\\' => escaped.push_str("\\\\"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A text as TOML.
fn in_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            _ if letter.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A text as a comment may hold it.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::build::mapping::tests::mapping;
    use crate::build::mapping::{InputMapping, InputSettings};
    use crate::snapshot::tables::Input;

    /// A file with these columns, parted by `|`.
    fn file(path: &str, table: Option<InputTable>, header: &str) -> FileProposal {
        let names: Vec<String> = header.split('|').map(str::to_owned).collect();
        let all =
            FileProposal { path: path.to_owned(), table, proposal: Proposal::default(), forms: Vec::new() };
        let columns = InputTable::ALL.into_iter().flat_map(InputTable::columns).copied();
        let lacking: Vec<Input> = columns
            .filter(|column| all.holds(column.name) && !names.iter().any(|name| name == column.name))
            .collect();
        let strange: Vec<String> =
            names.into_iter().filter(|name| !lacking.is_empty() && !all.holds(name)).collect();
        FileProposal { proposal: Proposal::new(&strange, &lacking), ..all }
    }

    fn ambiguous(settings: &str, value: &str, readings: [&str; 2]) -> Ambiguity {
        let readings = readings.map(str::to_owned);
        Ambiguity { line: 2, value: value.to_owned(), readings, settings: settings.to_owned() }
    }

    const LISTINGS: Option<InputTable> = Some(InputTable::Listings);
    const OBSERVATIONS: Option<InputTable> = Some(InputTable::Observations);

    /// Everything a mapping says of a file's columns, by table.
    fn said(settings: &InputSettings, table: InputTable) -> BTreeMap<String, String> {
        settings.columns(table).map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned())).collect()
    }

    /// Whether each file gets what it needs, and nothing else.
    fn holds(mapping: &InputMapping, files: &[FileProposal]) {
        for file in files {
            let settings = mapping.settings(&file.path);
            for table in
                InputTable::ALL.into_iter().filter(|table| file.table.is_none_or(|own| own == *table))
            {
                let own =
                    |column: &&ProposedColumn| table.columns().iter().any(|input| input.name == column.ours);
                let needs = file.proposal.columns.iter().filter(own);
                let needs: BTreeMap<_, _> =
                    needs.map(|column| (column.ours.to_owned(), column.theirs.clone())).collect();
                assert_eq!(said(&settings, table), needs, "{}", file.path);
            }
        }
    }

    #[test]
    fn one_file_has_columns_and_what_is_to_be_decided() {
        let mut shop = file("shop.csv", None, "Retailer|SKU|Title|Name|Prix|Day|color");
        shop.forms.push(ambiguous("dates = \"DMY\" or \"MDY\"", "01/02/2026", ["1 February", "2 January"]));
        let files = [shop];
        let text = Proposal::toml(&files);
        let expected = [
            HEAD.trim_end(),
            "# dates = \"DMY\"    # 01/02/2026 (line 2) is 1 February",
            "# dates = \"MDY\"    # ... or 2 January: remove one '#'",
            "",
            "[columns]",
            "platform = \"Retailer\"",
            "product_id = \"SKU\"",
            "product_name = \"Title\"    # or \"Name\"",
            "date = \"Day\"",
            "price = \"Prix\"",
            "",
            "[constants]",
            "# country = \"us\"    # required; no column says it",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        holds(&mapping(&text), &files);
        // Without the marks it is a mapping too.
        let decided = text.replace("# country", "country").replace("# dates = \"DMY\"", "dates = \"DMY\"");
        let settings = mapping(&decided).settings("shop.csv");
        assert_eq!(settings.constants.get("country").map(String::as_str), Some("us"));
        assert_eq!(settings.dates, Some(crate::build::ingest::forms::DateForm::Dmy));
    }

    #[test]
    fn tables_that_differ_have_columns_of_their_own() {
        let files = [
            file("a/listings.csv", LISTINGS, "country|Retailer|SKU|Title"),
            file("b/listings.csv", LISTINGS, "country|Retailer|SKU|Title"),
            file("a/observations.csv", OBSERVATIONS, "country|platform|SKU|date|Cost"),
        ];
        let text = Proposal::toml(&files);
        let expected = [
            "[columns]",
            "product_id = \"SKU\"",
            "product_name = \"Title\"",
            "price = \"Cost\"",
            "",
            "[listings.columns]",
            "platform = \"Retailer\"",
        ];
        assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), expected, "{text}");
        holds(&mapping(&text), &files);
    }

    #[test]
    fn files_that_differ_are_sources() {
        let mut files = [
            file("in/acme/listings-1.csv", LISTINGS, "platform|SKU|Title"),
            file("in/acme/listings-2.csv", LISTINGS, "platform|SKU|Title"),
            file("in/best, [buy]/listings.csv", LISTINGS, "platform|UPC|Name|condition"),
            file("listings.csv", LISTINGS, "platform|Item|product_name"),
            file("in/listings.csv", LISTINGS, "platform|product_id|product_name"),
        ];
        files[2].forms.push(ambiguous("decimal = \"point\" or \"comma\"", "1,299", ["1299", "1.299"]));
        let text = Proposal::toml(&files);
        let settings = mapping(&text);
        holds(&settings, &files);
        for part in [
            "[constants]\n# country = \"us\"    # required; no column says it\n",
            "[[source]]\nfiles = \"in/acme/*.csv\"\n\n[source.columns]\nproduct_id = \"SKU\"\nproduct_name = \"Title\"\n",
            "[[source]]\nfiles = \"in/best[,] [[]buy[]]/listings.csv\"\n# decimal = \"point\"    # 1,299 (line 2) is 1299\n",
            "[[source]]\nfiles = \"in/listings.csv\"\n\n[[source]]\nfiles = \"listings.csv\"\n",
            "product_id = \"UPC\"    # it may also be gtin\n",
        ] {
            assert!(text.contains(part), "{part}\n\n{text}");
        }
        assert_eq!(text.matches("country").count(), 1);
    }

    #[test]
    fn what_one_file_lacks_is_not_said_of_others() {
        let files = [
            file("a/listings.csv", LISTINGS, "country|platform|product_id|title"),
            file("b/listings.csv", LISTINGS, "platform|product_id|title"),
            file("c/listings.csv", LISTINGS, "country|platform|color|title"),
        ];
        let text = Proposal::toml(&files);
        holds(&mapping(&text), &files);
        assert!(text.contains("files = \"b/listings.csv\"\n\n[source.columns]\nproduct_name = \"title\"\n\n[source.constants]\n# country = \"us\""), "{text}");
        assert!(
            text.contains(
                "# product_id = \"...\"    # required; no column looks like it: write which one it is"
            ),
            "{text}"
        );
        let decided = mapping(&text.replace("# country", "country"));
        let countries = files.map(|file| decided.settings(&file.path).constants.contains_key("country"));
        assert_eq!(countries, [false, true, false]);
        // A column that may be one of two is shown where the other is missing.
        let text = Proposal::toml(&[file("x.csv", LISTINGS, "country|platform|Item")]);
        assert!(text.contains("# product_id = \"Item\"    # required; if it means this\n"), "{text}");
    }

    #[test]
    fn nothing_is_needed_for_nothing() {
        assert_eq!(Proposal::toml(&[]), HEAD);
        let whole = file("x.csv", LISTINGS, "country|platform|product_id|product_name");
        assert_eq!(Proposal::toml(&[whole]), HEAD);
    }

    #[test]
    fn patterns_match_their_files_and_no_others() {
        for (members, others, expected) in [
            (vec!["a/x.csv"], vec![], "a/x.csv"),
            (vec!["a/x.csv", "a/y.csv"], vec!["b/x.csv"], "a/*.csv"),
            (vec!["a/x.csv", "a/y.csv"], vec!["a/z.csv"], "{a/x.csv,a/y.csv}"),
            (vec!["in/dt=1/p.csv.gz", "in/dt=2/p.csv.gz"], vec!["in/x.csv"], "in/**/*.csv.gz"),
            (vec!["a/x.csv", "b/y.tsv"], vec![], "{a/x.csv,b/y.tsv}"),
            (vec!["x", "y"], vec![], "{x,y}"),
            (vec!["a/é.csv", "a/è.csv"], vec![], "a/*.csv"),
        ] {
            assert_eq!(pattern(&members, &others), expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(
            headers in prop::collection::vec(
                prop::collection::vec("(Retailer|SKU|Title|Item|UPC|Prix|Day|\\PC{0,8}|[\\x00-\\x7f]{0,6})", 0..8), 1..5),
            tables in prop::collection::vec(0_usize..3, 5),
            dir in "[a-c\\[\\]{},*?!é \\\\]{0,4}",
        ) {
            let tables: Vec<_> = tables.into_iter().map(|table| [None, LISTINGS, OBSERVATIONS][table]).collect();
            let files: Vec<FileProposal> = headers.iter().enumerate().map(|(at, names)| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let mut file = file(&format!("in/{dir}{}/{}.csv", at % 2, at / 2), tables[at], &names.join("|"));
                file.forms.push(ambiguous("dates = \"DMY\" or \"MDY\"", names.first().unwrap_or(&""), ["a\n", "\u{1}b"]));
                file
            }).collect();
            holds(&mapping(&Proposal::toml(&files)), &files);
        }
    }
}
