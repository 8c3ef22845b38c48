//! In which form the numbers and dates of a file are written, and the contract's form of them.
//!
//! The values decide, a file at a time, so that a file reads the same whatever lies beside it. Where everything at the
//! beginning of a file has the contract's form, that is it, and nothing is rewritten.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use memchr::memchr;
use polars::prelude::StringChunked;
use polars_arrow::array::View;

use super::chunk::Chunk;
use super::html;
use super::input_file::InputFile;
use super::parsers::{Ambiguity, DateEvidence, DateNotation, NumberEvidence, NumberNotation};
use super::plan::ColumnPlan;
use super::values::{self, ValueWords};
use crate::ingest::report::Example;
use crate::types::Country;
use crate::types::day::parse_observed;

/// Columns of numbers that are written alike.
const NUMBERS: [&[&str]; 3] = [&["price", "list_price"], &["rating"], &["review_count"]];
/// The column of dates.
const DATE: &str = "date";

/// The columns of texts in which entities of HTML are decoded.
const TEXTS: [&str; 3] = ["product_name", "brand", "category_path"];

/// What the values that were read so far say.
#[derive(Debug, Default, Clone)]
pub(super) struct Evidence {
    numbers: [NumberEvidence; NUMBERS.len()],
    /// A bit for each column of such a group that the file has.
    columns: [u8; NUMBERS.len()],
    dates: DateEvidence,
}

/// Where a table has numbers and dates.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    numbers: [Vec<usize>; NUMBERS.len()],
    date: Option<usize>,
    country: Option<usize>,
    platform: Option<usize>,
    /// Columns of texts.
    texts: Vec<usize>,
    /// Columns whose values may be words.
    words: Vec<(&'static str, usize)>,
}

/// How the values of a file are read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    columns: Columns,
    plan: ColumnPlan,
    numbers: [NumberNotation; NUMBERS.len()],
    dates: DateNotation,
    /// What counts where a column says nothing, in the contract's form.
    defaults: Arc<[String]>,
}

impl Columns {
    pub(super) fn of(plan: &ColumnPlan) -> Self {
        let place = |name| plan.place(name);
        Self {
            numbers: NUMBERS.map(|names| names.iter().filter_map(|name| place(name)).collect()),
            date: place(DATE),
            country: place("country"),
            platform: place("platform"),
            // Observations have no text but a name, of which only the presence is used.
            texts: match place("brand") {
                Some(_) => TEXTS.into_iter().filter_map(place).collect(),
                None => vec![],
            },
            words: values::COLUMNS.into_iter().filter_map(|name| Some((name, place(name)?))).collect(),
        }
    }
}

impl Evidence {
    /// What the first `rows` rows of a chunk say, without those that could not be read.
    pub(super) fn of(chunk: &Chunk, columns: &Columns, rows: usize) -> Self {
        let mut evidence = Self::default();
        let rows = || (0..rows.min(chunk.rows())).filter(|&row| chunk.fault(row).is_none());
        for ((group, has), columns) in
            evidence.numbers.iter_mut().zip(&mut evidence.columns).zip(&columns.numbers)
        {
            let columns = columns.iter().enumerate().filter(|(_, column)| chunk.columns[**column].is_some());
            let columns: Vec<_> = columns.inspect(|(at, _)| *has |= 1 << at).map(|(_, at)| *at).collect();
            for row in rows() {
                for &column in &columns {
                    group.add(chunk.own(column, row), chunk.line(row));
                }
            }
        }
        if let Some(date) = columns.date.filter(|&date| chunk.columns[date].is_some()) {
            rows().for_each(|row| evidence.dates.add(chunk.own(date, row), chunk.line(row)));
        }
        evidence
    }

    /// Adds what later rows say.
    pub(super) fn merge(&mut self, later: Self) {
        self.numbers.iter_mut().zip(later.numbers).for_each(|(group, later)| group.merge(later));
        self.columns.iter_mut().zip(later.columns).for_each(|(has, later)| *has |= later);
        self.dates.merge(later.dates);
    }

    /// Adds what counts where a column says nothing: it is read as the values are.
    pub(super) fn add_default(&mut self, plan: &ColumnPlan, columns: &Columns) {
        for (group, columns) in self.numbers.iter_mut().zip(&columns.numbers) {
            for &column in columns {
                group.add(&plan.defaults[column], 0);
            }
        }
        if let Some(date) = columns.date {
            self.dates.add(&plan.defaults[date], 0);
        }
    }

    /// What the values leave open and the mapping does not decide either: columns, and the two ways to read them.
    pub(super) fn ambiguities(&self, file: &InputFile) -> Vec<(String, Ambiguity)> {
        let groups = self.numbers.iter().zip(NUMBERS).zip(self.columns);
        let numbers =
            groups.filter(|_| file.settings.decimal.is_none()).filter_map(|((group, names), has)| {
                let names = names.iter().enumerate().filter(|(at, _)| has & (1 << at) != 0);
                let names: Vec<_> = names.map(|(_, name)| *name).collect();
                Some((names.join(" or "), group.decide().err()?))
            });
        let dates = Some(DATE.to_owned()).filter(|_| file.settings.dates.is_none());
        numbers.chain(dates.and_then(|name| Some((name, self.dates.decide().err()?)))).collect()
    }

    /// Whether every value has the contract's form, or the mapping decides.
    pub(super) fn is_enough(&self, file: &InputFile) -> bool {
        let numbers = file.settings.decimal.is_some() || self.numbers.iter().all(NumberEvidence::is_contract);
        numbers && (file.settings.dates.is_some() || self.dates.is_contract())
    }
}

impl Reading {
    /// Decides.
    ///
    /// # Errors
    /// When the values of a column can be read in two ways; the message names the setting that decides.
    pub(super) fn decide(file: &InputFile, plan: &ColumnPlan, evidence: &Evidence) -> Result<Self> {
        if let Some((column, fault)) = evidence.ambiguities(file).into_iter().next() {
            return Err(anyhow::Error::new(fault).context(format!("column {column}")));
        }
        Ok(Self::as_far_as_decided(file, plan, evidence))
    }

    /// Decides, and takes what can be read in two ways for the contract's form.
    pub(super) fn as_far_as_decided(file: &InputFile, plan: &ColumnPlan, evidence: &Evidence) -> Self {
        let columns = Columns::of(plan);
        let number = |group: &NumberEvidence| {
            file.settings.decimal.unwrap_or_else(|| group.decide().unwrap_or(NumberNotation::Contract))
        };
        let numbers = evidence.numbers.each_ref().map(number);
        let dates = file.settings.dates.clone();
        let dates = dates.unwrap_or_else(|| evidence.dates.decide().unwrap_or(DateNotation::Contract));
        let mut defaults = plan.defaults.to_vec();
        for &(name, column) in &columns.words {
            if let Some(value) = values::meaning(name, file.settings.values.get(name), &defaults[column]) {
                value.clone_into(&mut defaults[column]);
            }
        }
        let country = columns.country.and_then(|country| Country::read(&defaults[country]));
        for (notation, columns) in numbers.iter().zip(&columns.numbers) {
            for &column in columns {
                if let Some(plain) = notation.plain(&defaults[column], country).map(Cow::into_owned) {
                    defaults[column] = plain;
                }
            }
        }
        if let Some(date) = columns.date
            && let Some(plain) = dates.plain(&defaults[date]).map(Cow::into_owned)
        {
            defaults[date] = plain;
        }
        Self { columns, plan: plan.clone(), numbers, dates, defaults: defaults.into() }
    }

    /// Form of prices, where it is not the contract's.
    pub(super) fn numbers(&self) -> Option<NumberNotation> {
        self.numbers.into_iter().find(|notation| *notation != NumberNotation::Contract)
    }

    /// Form of dates, where it is not the contract's.
    pub(super) fn dates(&self) -> Option<&DateNotation> {
        Some(&self.dates).filter(|notation| **notation != DateNotation::Contract)
    }

    /// Puts values into the contract's form.
    pub(super) fn apply(&self, chunk: &mut Chunk, file: &InputFile) {
        chunk.defaults = self.defaults.clone();
        for &column in &self.columns.texts {
            decode_entities(chunk, column, file);
        }
        for &(name, column) in &self.columns.words {
            apply_words(chunk, name, column, file.settings.values.get(name));
        }
        for (notation, columns) in self.numbers.into_iter().zip(&self.columns.numbers) {
            if notation != NumberNotation::Contract {
                for &column in columns {
                    self.apply_numbers(chunk, column, notation);
                }
            }
        }
        if let Some(date) = self.columns.date.filter(|_| self.dates().is_some()) {
            let texts = chunk.rewrite(date, |text, _| self.dates.plain(text));
            if let Some(texts) = texts {
                chunk.replace(date, texts, None);
            }
        }
        self.plan.from_path.iter().for_each(|&column| self.compare_with_path(chunk, column, file));
    }

    fn apply_numbers(&self, chunk: &mut Chunk, column: usize, notation: NumberNotation) {
        let country = |row| self.columns.country.and_then(|country| Country::read(chunk.text(country, row)));
        let texts = chunk.rewrite(column, |text, row| notation.plain(text, country(row)));
        if let Some(texts) = texts {
            chunk.replace(column, texts, Some(notation));
        }
    }

    /// Counts the rows that contradict a key of the path.
    fn compare_with_path(&self, chunk: &mut Chunk, column: usize, file: &InputFile) {
        let key = &self.defaults[column];
        let place = Some(column);
        let day = |text: &str| parse_observed(text).ok().map(|(day, _)| day);
        let agrees = |own: &str| {
            own == key
                || (place == self.columns.country && Country::read(own) == Country::read(key))
                || (place == self.columns.platform
                    && file.settings.retailers.key(own) == file.settings.retailers.key(key))
                || (place == self.columns.date && day(own).is_some() && day(own) == day(key))
        };
        for row in 0..chunk.rows() {
            let own = chunk.own(column, row);
            if chunk.fault(row).is_none() && !own.is_empty() && !agrees(own) {
                let example = Example::new(&file.name, chunk.line(row), chunk.quote(column, row));
                chunk.damage.differ_from_path.add(|| example);
            }
        }
    }
}

/// Decodes the entities of HTML in a column of texts.
fn decode_entities(chunk: &mut Chunk, column: usize, file: &InputFile) {
    let Some(texts) = chunk.columns[column].as_ref().filter(|texts| may_hold_entities(texts)) else { return };
    let decoded = texts.iter().enumerate().filter_map(|(row, text)| Some((row, html::decoded(text?)?)));
    let decoded: Vec<(usize, String)> = decoded.collect();
    if decoded.is_empty() {
        return;
    }
    let mut next = decoded.iter().peekable();
    let texts: StringChunked = (0..chunk.rows())
        .map(|row| match next.next_if(|(at, _)| *at == row) {
            Some((_, text)) => Some(text.as_str()),
            None => texts.get(row),
        })
        .collect();
    for (row, _) in &decoded {
        let example = Example::new(&file.name, chunk.line(*row), chunk.quote(column, *row));
        chunk.damage.decoded_entities.add(|| example);
    }
    chunk.replace(column, texts, None);
}

/// Whether a column may hold the character that begins an entity. Texts of up to 12 bytes lie in their views, longer
/// ones one behind the other, so most columns are searched at the speed of memory.
fn may_hold_entities(texts: &StringChunked) -> bool {
    texts.downcast_iter().any(|array| {
        let is_short = |view: &&View| view.length <= View::MAX_INLINE_SIZE;
        let mut short = array.views().iter().filter(is_short).map(|view| view.as_u128().to_le_bytes());
        array.data_buffers().iter().any(|buffer| memchr(b'&', buffer).is_some())
            || short.any(|view| view[size_of::<u32>()..].contains(&b'&'))
    })
}

/// Puts the values that words of a column stand for in their place. Nearly every column has none.
fn apply_words(chunk: &mut Chunk, name: &str, column: usize, own: Option<&ValueWords>) {
    let Some(texts) = &chunk.columns[column] else { return };
    let is_plain = |text: Option<&str>| text.is_none_or(|text| values::is_contract(name, text));
    if own.is_none() && texts.iter().all(is_plain) {
        return;
    }
    // Values repeat, so each is looked up once.
    let mut known: HashMap<&str, Option<&str>> = HashMap::new();
    let mut meaning = |text| *known.entry(text).or_insert_with(|| values::meaning(name, own, text));
    let meanings: Vec<Option<&str>> = texts.iter().map(|text| text.and_then(&mut meaning)).collect();
    if meanings.iter().any(Option::is_some) {
        let texts = meanings.iter().zip(texts.iter()).map(|(meaning, text)| meaning.or(text));
        let texts: StringChunked = texts.collect();
        chunk.replace(column, texts, None);
    }
}
