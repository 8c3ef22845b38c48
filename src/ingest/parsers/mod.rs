//! How the numbers and dates of a file are written, and the same in the one form that the rules read.
//!
//! A column of a file has one form. Where every value has the contract's form (`1299.5`, `2026-10-31`, RFC 3339),
//! that is it. Otherwise all its values are evidence: each candidate is asked how many it reads, and the one that
//! reads most wins, the contract's among equals. Of two others that read equally many either is right if they never
//! disagree; where they do, nobody here can know, and the user is asked ([`Ambiguity`]).
//!
//! Everything here is a function of text alone. What has the contract's form already is borrowed, not copied.

mod calendar;
mod currency;
mod date_words;
mod dates;
mod numbers;

#[cfg(test)]
mod date_forms_tests;
#[cfg(test)]
mod dates_tests;
#[cfg(test)]
mod numbers_tests;

use std::fmt;

pub use dates::{DateEvidence, DateNotation, DatePattern};
pub use numbers::{NumberEvidence, NumberNotation};

use crate::ingest::report::quoted;
use crate::types::Country;

/// Whether a text names the currency of a country, by its code or its sign.
pub fn is_currency_of(country: Country, text: &str) -> bool {
    currency::Currency::parse(text).is_some_and(|currency| currency.is_of(Some(country)))
}

/// Two forms that read equally many values of a column, and a value that they read differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// Line of the value, from 1.
    pub line: u64,
    /// The value, as much of it as a report quotes.
    pub value: String,
    /// What it is in either form.
    pub readings: [String; 2],
    /// What to write into the mapping: `dates = "DMY" or "MDY"`.
    pub settings: String,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, value, readings: [one, other], settings } = self;
        write!(
            f,
            "{value} (line {line}) is {one} or {other}, and no value of the file decides: set {settings} (--map FILE, \
             or [input] of --config)"
        )
    }
}

impl std::error::Error for Ambiguity {}

/// A setting that names no form of numbers or dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a notation of {what}: write {choice}")]
pub struct UnknownNotation {
    text: String,
    what: &'static str,
    choice: &'static str,
}

/// The first value that two candidates read differently.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    line: u64,
    value: String,
    readings: [String; 2],
}

/// What the values of a column say of `N` candidates beside the contract's form.
///
/// Sums are equal in any grouping, whatever the order of columns within a part: of differences the least line
/// counts, and on one line the one that was added first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Votes<const N: usize> {
    values: u64,
    contract: u64,
    read: [u64; N],
    /// By the two candidates, the smaller first; other places stay empty.
    differences: [[Option<Difference>; N]; N],
}

impl<const N: usize> Default for Votes<N> {
    fn default() -> Self {
        let differences = std::array::from_fn(|_| std::array::from_fn(|_| None));
        Self { values: 0, contract: 0, read: [0; N], differences }
    }
}

impl<const N: usize> Votes<N> {
    /// Counts a value of the contract's form that every candidate reads as it stands.
    fn add_contract(&mut self) {
        self.values += 1;
        self.contract += 1;
        self.read.iter_mut().for_each(|read| *read += 1);
    }

    /// Counts a value by what each candidate reads in it; `describe` puts a reading into words.
    fn add<T: PartialEq>(
        &mut self,
        contract: bool,
        readings: &[Option<T>; N],
        (line, text): (u64, &str),
        describe: impl Fn(&Option<T>) -> String,
    ) {
        self.values += 1;
        self.contract += u64::from(contract);
        for (one, reading) in readings.iter().enumerate() {
            self.read[one] += u64::from(reading.is_some());
            for (other, different) in readings.iter().enumerate().skip(one + 1) {
                let kept = &mut self.differences[one][other];
                if reading != different && kept.as_ref().is_none_or(|kept| line < kept.line) {
                    let readings = [describe(reading), describe(different)].map(|words| quoted(&words));
                    *kept = Some(Difference { line, value: quoted(text), readings });
                }
            }
        }
    }

    fn merge(&mut self, later: Self) {
        self.values += later.values;
        self.contract += later.contract;
        self.read.iter_mut().zip(later.read).for_each(|(read, more)| *read += more);
        for (kept, later) in
            self.differences.iter_mut().flatten().zip(later.differences.into_iter().flatten())
        {
            let line =
                |difference: &Option<Difference>| difference.as_ref().map_or(u64::MAX, |found| found.line);
            if line(&later) < line(kept) {
                *kept = later;
            }
        }
    }

    fn is_contract(&self) -> bool {
        self.contract == self.values
    }

    /// The candidate that wins, `None` for the contract's form; or two that nothing decides between.
    fn decide(&self) -> Result<Option<usize>, (usize, usize, &Difference)> {
        let most = self.read.iter().copied().max().unwrap_or(0);
        if self.contract >= most {
            return Ok(None);
        }
        let is_best = |candidate: usize| self.read[candidate] == most;
        let best = || (0..N).filter(|&candidate| is_best(candidate));
        let pairs = best().flat_map(|one| best().map(move |other| (one, other)));
        let differences =
            pairs.filter_map(|(one, other)| Some((one, other, self.differences[one][other].as_ref()?)));
        match differences.min_by_key(|(_, _, difference)| difference.line) {
            Some(undecided) => Err(undecided),
            None => Ok(best().next()),
        }
    }
}

impl Difference {
    fn ambiguity(&self, settings: String) -> Ambiguity {
        Ambiguity { line: self.line, value: self.value.clone(), readings: self.readings.clone(), settings }
    }
}
