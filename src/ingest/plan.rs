//! The source of each column of a table in one file: a constant of the mapping, a column, or a key of the path.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Result, bail};

use super::column_kinds::KnownColumns;
use super::column_names;
use super::input_file::InputFile;
use super::values::is_placeholder;
use crate::ingest::mapping::{InputTable, Proposal};
use crate::snapshot::tables::{Input, ListingInput, ObservationInput, VariantInput};

/// What else parts the values of files that look like one column.
const RARE_SEPARATORS: [char; 6] = ['|', ';', '\t', '^', '~', ':'];

const PRICE: Input = ObservationInput::ALL[ObservationInput::Price as usize];
/// Columns whose values have a form: numbers, dates, addresses and fixed words.
const TYPED: [&str; 11] = [
    ListingInput::Country.name(),
    ListingInput::Condition.name(),
    ListingInput::Rating.name(),
    ListingInput::ReviewCount.name(),
    ListingInput::Url.name(),
    ObservationInput::Date.name(),
    ObservationInput::Price.name(),
    ObservationInput::ListPrice.name(),
    ObservationInput::InStock.name(),
    ObservationInput::Promo.name(),
    ObservationInput::Currency.name(),
];

/// Where the columns of a table come from in one file.
#[derive(Debug, Clone)]
pub(super) struct ColumnPlan {
    /// Those of the table, and behind them those of variants where the mapping names the handle.
    pub columns: Vec<Input>,
    /// How the file calls each; nothing for a constant, which no column may contradict.
    wanted: Vec<Option<String>>,
    /// What counts where a column says nothing.
    pub defaults: Arc<[String]>,
    /// Which of these are keys of the path.
    pub from_path: Vec<usize>,
}

/// Where a column comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnSource {
    pub column: &'static str,
    /// How the file calls it; nothing for a constant.
    pub header: Option<String>,
    /// What counts where the column says nothing: a constant, or a key of the path.
    pub defaults: String,
    /// Whether that is a key of the path.
    pub is_path_key: bool,
}

/// Where the columns of a table come from in one file, by what the mapping and its path say.
pub(crate) fn column_sources(
    file: &InputFile,
    table: InputTable,
    columns: &'static [Input],
) -> Vec<ColumnSource> {
    let ColumnPlan { columns, wanted, defaults, from_path } = ColumnPlan::new(file, table, columns);
    let both = wanted.into_iter().zip(defaults.iter().cloned());
    let source = |(at, (header, defaults)): (usize, (Option<String>, String))| ColumnSource {
        column: columns[at].name,
        header,
        defaults,
        is_path_key: from_path.contains(&at),
    };
    both.enumerate().map(source).collect()
}

impl ColumnPlan {
    pub(super) fn new(file: &InputFile, table: InputTable, columns: &'static [Input]) -> Self {
        let settings = &file.settings;
        let has_handle = settings.column(table, VariantInput::Handle.name()).is_some();
        let mut columns = columns.to_vec();
        if has_handle {
            columns.extend(VariantInput::ALL);
            let has_price = columns.iter().any(|column| column.name == PRICE.name);
            // A row of an image has none.
            columns.extend((!has_price).then_some(Input { required: false, ..PRICE }));
        }
        let (mut wanted, mut defaults, mut from_path) = (Vec::new(), Vec::new(), Vec::new());
        for (at, column) in columns.iter().enumerate() {
            if let Some(constant) = settings.constants.get(column.name) {
                wanted.push(None);
                defaults.push(constant.clone());
                continue;
            }
            // Of a file with both tables a column of the other one may be asked as well.
            let mut tables = [table].into_iter().chain(InputTable::ALL);
            let header = tables.find_map(|table| settings.column(table, column.name));
            let header = header.unwrap_or(column.name);
            let is_named =
                |key: &str| column_names::folded(key) == column_names::folded(header) || key == column.name;
            let key = file
                .keys
                .iter()
                .rev()
                .find(|(key, value)| is_named(key) && !value.is_empty() && !is_placeholder(value));
            from_path.extend(key.map(|_| at));
            wanted.push(Some(header.to_owned()));
            defaults.push(key.map_or_else(String::new, |(_, value)| value.clone()));
        }
        Self { columns, wanted, defaults: defaults.into(), from_path }
    }

    /// The position of one of our columns in the table.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Where each column stands in a header; of a repeated name the first counts.
    pub(super) fn positions(&self, header: &[String]) -> Vec<Option<usize>> {
        let names = self.wanted.iter().flatten().map(String::as_str);
        let mut found = column_names::positions(header, names).into_iter();
        self.wanted.iter().map(|wanted| wanted.as_ref().and_then(|_| found.next().flatten())).collect()
    }

    /// A bit for each column that is called exactly so.
    pub(super) fn exact(&self, name: &str) -> u64 {
        self.called(|wanted| wanted == name)
    }

    /// A bit for each column that is called so but for case, blanks and the like.
    pub(super) fn near(&self, name: &str) -> u64 {
        let name = column_names::folded(name);
        self.called(|wanted| column_names::folded(wanted) == name)
    }

    fn called(&self, is_so: impl Fn(&str) -> bool) -> u64 {
        let wanted = self.wanted.iter().enumerate();
        let called = wanted.filter(|(_, wanted)| wanted.as_deref().is_some_and(&is_so));
        called.map(|(at, _)| 1 << at).sum()
    }

    /// How many required columns of the file have a name in `header`.
    pub(super) fn known(&self, header: &[String]) -> usize {
        let positions = self.positions(header);
        self.columns.iter().zip(positions).filter(|(column, at)| column.required && at.is_some()).count()
    }

    /// Adds the columns by whose values a record that does not fit its header is found.
    pub(super) fn add_known(&self, header: &[String], known: &mut KnownColumns) {
        for (column, at) in self.columns.iter().zip(self.positions(header)) {
            let Some(at) = at else { continue };
            known.required.extend(column.required.then_some(at));
            known.typed.extend(TYPED.contains(&column.name).then_some(at));
            known.price = known.price.or((column.name == ObservationInput::Price.name()).then_some(at));
        }
    }

    /// Columns that come from nowhere; bit `i` of `present` says that column `i` was in the file.
    pub(super) fn absent(&self, present: u64) -> Vec<usize> {
        let comes = |at: usize| present & (1 << at) != 0 || !self.defaults[at].is_empty();
        (0..self.columns.len()).filter(|&at| !comes(at)).collect()
    }

    /// Those of them that are required.
    pub(super) fn missing(&self, present: u64) -> Vec<usize> {
        let mut absent = self.absent(present);
        absent.retain(|&at| self.columns[at].required);
        absent
    }

    /// Fails when a required column comes from nowhere, and says what could be meant by the names that are there.
    pub(super) fn require(&self, present: u64, header: &[String]) -> Result<()> {
        let missing = self.missing(present);
        if missing.is_empty() {
            return Ok(());
        }
        bail!("{}", self.error_text(&missing, header))
    }

    /// What is missing, and what may be meant instead.
    pub(super) fn error_text(&self, missing: &[usize], header: &[String]) -> String {
        let absent: Vec<Input> = missing.iter().map(|&at| self.columns[at]).collect();
        missing_columns_text(self.lacks(missing), &self.unmapped(header), &absent, header)
    }

    /// What is missing.
    pub(super) fn lacks(&self, missing: &[usize]) -> String {
        let called = |&at: &usize| match &self.wanted[at] {
            Some(header) if header != self.columns[at].name => {
                format!("{} ({header:?} in the mapping)", self.columns[at].name)
            }
            _ => self.columns[at].name.to_owned(),
        };
        let list: Vec<_> = missing.iter().map(called).collect();
        let plural = if missing.len() > 1 { "s" } else { "" };
        format!("missing required column{plural} {}", list.join(", "))
    }

    /// The names in a header that no column is called.
    fn unmapped(&self, header: &[String]) -> Vec<String> {
        let taken: Vec<_> = self.positions(header).into_iter().flatten().collect();
        let unmapped = header.iter().enumerate().filter(|(at, _)| !taken.contains(at));
        unmapped.map(|(_, name)| name.clone()).collect()
    }
}

/// What is missing, and what may be meant by the names that are there; nothing is taken from `unmapped`.
pub(super) fn missing_columns_text(
    missing: String,
    unmapped: &[String],
    absent: &[Input],
    header: &[String],
) -> String {
    let mut text = missing;
    if !header.is_empty() && header.iter().all(String::is_empty) {
        return format!("the file is empty: {text}");
    }
    if let [one] = header
        && let Some(separator) = RARE_SEPARATORS.into_iter().find(|&separator| one.contains(separator))
    {
        return format!(
            "{text}: the file has one column, {one:?}. If {separator:?} separates the values, set separator = {:?} \
             (--map FILE, or [input] of --config)",
            separator.to_string()
        );
    }
    if let Some(hint) = Proposal::new(unmapped, absent).hint() {
        let _ = write!(text, "; {hint}");
    }
    if !header.is_empty() {
        let _ = write!(
            text,
            "{} the file has the columns {}. --explain prints how each is read, --write-map FILE proposes a mapping",
            if text.ends_with('?') { "" } else { ";" },
            header.join(", ")
        );
    }
    text
}
