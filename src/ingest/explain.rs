//! What a build would make of its input, told before anything is built: what each column is taken for, the first rows
//! as they are understood, and a mapping for columns whose names are only near ours.

use std::fmt;
use std::path::Path;

use anyhow::Result;

use super::Arguments;
use super::Holds;
use super::InputFile;
use super::Origin;
use super::Preview;
use super::Spool;
use super::Unread;
use super::mapping::{FileProposal, InputMapping, InputTable, Proposal};
use crate::ingest;
use crate::snapshot::tables::Input;

/// Files of no format that is read which are named one by one; the others are counted.
const UNREAD_NAMED_MAX: usize = 10;

/// What is understood of an input.
pub struct Explanation {
    files: Vec<Explained>,
    /// Files of no format that is read.
    unread: Vec<Unread>,
}

/// What is understood of a file.
struct Explained {
    file: InputFile,
    /// Why a build would not read it.
    unread: Option<String>,
    needs: FileProposal,
    /// A look for each table, with what is proposed taken for granted; or why there is none.
    previews: Vec<Result<Preview>>,
}

/// Looks at an input; copies of files behind addresses go through `scratch`.
///
/// # Errors
/// When the arguments name nothing.
pub fn explain(arguments: &Arguments, scratch: &Path) -> Result<Explanation> {
    let found = ingest::find(arguments, &Spool::new(scratch))?;
    let mut files: Vec<(InputFile, Option<String>)> =
        found.listings.into_iter().map(|file| (file, None)).collect();
    // Files with both tables stand in both lists.
    let observations = found.observations.into_iter().filter(|file| file.holds == Holds::Observations);
    files.extend(observations.map(|file| (file, None)));
    let mut unread = Vec::new();
    for Unread { path, why, file } in found.unread {
        match file {
            Some(file) => files.push((file, Some(why))),
            None => unread.push(Unread { path, why, file }),
        }
    }
    let mut files: Vec<Explained> =
        files.into_iter().map(|(file, unread)| Explained::new(file, unread)).collect();
    let needs: Vec<FileProposal> = files.iter().map(|file| file.needs.clone()).collect();
    if needs.iter().any(|needs| !needs.proposal.is_empty()) {
        // A mapping that was given says more than a proposal; without one the proposal is tried.
        let proposed = InputMapping::of_text(&Proposal::toml(&needs))?;
        for Explained { file, .. } in files.iter_mut().filter(|_| arguments.mapping.is_empty()) {
            file.settings = proposed.settings(&file.name);
        }
    }
    files.iter_mut().for_each(Explained::preview);
    Ok(Explanation { files, unread })
}

impl Explanation {
    /// The mapping that the input seems to need, to be looked through.
    pub fn mapping(&self) -> String {
        let needs: Vec<FileProposal> = self.files.iter().map(|file| file.needs.clone()).collect();
        Proposal::toml(&needs)
    }
}

impl Explained {
    fn new(mut file: InputFile, unread: Option<String>) -> Self {
        // Why it has none is said by the look at it.
        let header = ingest::header(&file).unwrap_or_default();
        let proposal = |file: &InputFile, tables: &[InputTable]| {
            let lacking = tables.iter().flat_map(|table| ingest::absent(file, *table, &header));
            Proposal::new(&ingest::unmapped(file, tables, &header), &lacking.collect::<Vec<Input>>())
        };
        if unread.is_some() {
            // Nothing says what it holds: what lacks least, and of equals what says most.
            file.holds = [Holds::Both, Holds::Listings, Holds::Observations]
                .into_iter()
                .min_by_key(|holds| {
                    let tables = holds.tables();
                    let lacks = proposal(&file, tables).missing;
                    lacks
                        .iter()
                        .filter(|column| tables.iter().any(|table| is_own(*table, column.ours)))
                        .count()
                })
                .unwrap_or(Holds::Both);
        }
        let tables = file.holds.tables();
        let needs = FileProposal {
            path: file.name.clone(),
            table: Some(tables[0]).filter(|_| tables.len() == 1),
            proposal: proposal(&file, tables),
            notations: vec![],
        };
        Self { file, unread, needs, previews: vec![] }
    }

    fn preview(&mut self) {
        self.previews =
            self.file.holds.tables().iter().map(|table| ingest::preview_file(&self.file, *table)).collect();
        let notations = self
            .previews
            .iter()
            .flatten()
            .flat_map(|preview| preview.ambiguous.iter().map(|(_, notation)| notation));
        for notation in notations {
            if !self.needs.notations.iter().any(|known| known.settings == notation.settings) {
                self.needs.notations.push(notation.clone());
            }
        }
    }

    /// Each column once, of whichever table.
    fn columns(&self) -> Vec<&(Input, Origin, Vec<String>)> {
        let mut columns: Vec<&(Input, Origin, Vec<String>)> = Vec::new();
        for column in self.previews.iter().flatten().flat_map(|preview| &preview.columns) {
            if !columns.iter().any(|(known, ..)| known.name == column.0.name) {
                columns.push(column);
            }
        }
        columns
    }

    fn write_columns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (column, origin, values) in self.columns() {
            let proposed = self.needs.proposal.columns.iter().find(|proposed| proposed.ours == column.name);
            let from = match origin {
                Origin::Column(theirs) if proposed.is_some() => format!("{theirs:?}, proposed"),
                Origin::Column(theirs) if theirs == column.name => "same name".to_owned(),
                Origin::Column(theirs) => format!("{theirs:?}"),
                Origin::Constant => "the mapping".to_owned(),
                Origin::Path => "the folder".to_owned(),
                Origin::Nowhere if column.required => "NOT FOUND".to_owned(),
                Origin::Nowhere => continue,
            };
            writeln!(f, "  {:<14} {from:<28} {}", column.name, values.join(" | "))?;
        }
        Ok(())
    }
}

/// Whether a column of a table is of no other.
fn is_own(table: InputTable, ours: &str) -> bool {
    let holds =
        |table: InputTable| table.columns().iter().any(|column| column.required && column.name == ours);
    InputTable::ALL.into_iter().filter(|other| holds(*other)).eq([table])
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for explained in &self.files {
            write!(f, "{explained}")?;
        }
        for unread in self.unread.iter().take(UNREAD_NAMED_MAX) {
            writeln!(f, "{}: not read: {}\n", unread.path.display(), unread.why)?;
        }
        match self.unread.len().saturating_sub(UNREAD_NAMED_MAX) {
            0 => Ok(()),
            more => writeln!(f, "{more} more files are not read, {} in all\n", self.unread.len()),
        }
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, unread, needs, previews } = self;
        let mut about = vec![file.format.as_str().to_owned()];
        if let Some(preview) = previews.iter().flatten().last() {
            let form = &preview.form;
            about.extend(form.separator.map(|separator| format!("separated by {separator:?}")));
            about.extend(form.quoting.clone());
            about.extend(form.encoding.clone());
            about.extend(form.numbers.clone());
            about.extend(form.dates.as_ref().map(|dates| format!("dates {dates}")));
        }
        let seems = if unread.is_some() { "seems to contain" } else { "contains" };
        writeln!(f, "{} ({}) {seems} {}", file.name, about.join(", "), file.holds.as_str())?;
        self.write_columns(f)?;
        if let Some(preview) = previews.iter().flatten().last().filter(|preview| !preview.unmapped.is_empty())
        {
            writeln!(f, "  {:<14} {}", "not read", preview.unmapped.join(", "))?;
        }
        for fault in previews.iter().filter_map(|preview| preview.as_ref().err()) {
            writeln!(f, "  {:<14} {fault:#}", "unreadable")?;
        }
        for column in &needs.proposal.missing {
            writeln!(
                f,
                "  {:<14} not found: map a column, or set one value for all rows, as in {} = {:?} of [constants]",
                column.ours, column.ours, column.example
            )?;
        }
        for notation in &needs.notations {
            writeln!(f, "  {:<14} {notation}", "unclear")?;
        }
        writeln!(f)
    }
}
