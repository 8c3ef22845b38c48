//! Rows of observations: which are taken, as a few bytes each.

use std::collections::HashSet;

use anyhow::{Result, ensure};

use super::listings::Index;
use super::sellers::{Sellers, Spelling};
use crate::build::canonical::{NONE, PROMO, STOCK_IN, STOCK_MASK, STOCK_OUT};
use crate::build::ingest::{Chunk, Holds, InputFile};
use crate::build::limits::PRODUCT_ID_BYTES_MAX;
use crate::build::rejects::{Reason, Reject};
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::domain::day::parse_observed;
use crate::domain::money::is_believed;
use crate::domain::{Cents, Country, Day, PriceError};
use crate::snapshot::tables::{Input, ListingInput, ObservationColumns, ObservationInput, ObservationRow};

/// Most rows of observations an input may hold: their numbers are 32 bits, one of which says "none".
const ROWS_MAX: usize = NONE as usize - 1;

/// The columns that are read of observations in a file of both tables: the name says whether a row is a listing too.
pub(super) const NAMED: &[Input] = &{
    let mut columns = [ListingInput::ALL[ListingInput::ProductName as usize]; NAME + 1];
    let mut at = 0;
    while at < NAME {
        columns[at] = ObservationInput::ALL[at];
        at += 1;
    }
    columns
};

/// Place of the name among them.
const NAME: usize = ObservationInput::ALL.len();

/// A price of one cent.
const PLACEHOLDER_CENTS: u32 = 1;

/// A chunk of observations after the rules: those that are taken, of which listing and at which instant.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub read: u64,
    pub rejects: Vec<Reject>,
    listing: Vec<u32>,
    instant: Vec<i64>,
    columns: ObservationColumns,
    ignored_list_prices: Tally,
    unreadable_flags: Tally,
    one_cent_prices: Tallies,
    pub spellings: Vec<Spelling>,
}

/// What rows of observations are held against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Against<'a> {
    pub file: &'a InputFile,
    pub index: &'a Index,
    /// Lines that were rejected as listings already.
    pub spoiled: &'a HashSet<u64>,
    /// The last day that is believed, where some are not.
    pub last: Option<u16>,
}

/// Applies the rules to a chunk.
pub(super) fn judge(chunk: &Chunk, against: Against<'_>) -> Judged {
    let Against { file, index, spoiled, last } = against;
    let mut judged = Judged { read: chunk.rows() as u64, ..Judged::default() };
    let sellers = Sellers::new(&file.settings.retailers);
    let mut lookup = Lookup { index, sellers, last: None, key: String::new() };
    for at in 0..chunk.rows() {
        if file.holds == Holds::Both && (spoiled.contains(&chunk.line(at)) || is_listing_alone(chunk, at)) {
            continue;
        }
        match row(chunk, at, &mut lookup) {
            Ok((_, _, row)) if last.is_some_and(|last| row.day > last) => {
                let date = chunk.quote(ObservationInput::Date as usize, at);
                judged.rejects.push(Reject::new(chunk.line(at), Reason::DateFarAhead, date));
            }
            Ok((listing, instant, row)) => {
                judged.note_oddities(chunk, at, &row, &lookup.sellers, &file.name);
                judged.listing.push(listing);
                judged.instant.push(instant);
                judged.columns.push(row, |column| chunk.text(column as usize, at));
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged.spellings = lookup.sellers.spellings();
    judged
}

/// Whether a row of a file of both tables says nothing of an observation.
fn is_listing_alone(chunk: &Chunk, at: usize) -> bool {
    let says = |column: usize| !chunk.text(column, at).is_empty();
    says(NAME) && !says(ObservationInput::Date as usize) && !says(ObservationInput::Price as usize)
}

/// A row, behind the number of its listing and its instant; or why it is not taken.
type Taken<'a> = Result<(u32, i64, ObservationRow), (Reason, &'a str)>;

fn row<'a>(chunk: &'a Chunk, at: usize, lookup: &mut Lookup<'a>) -> Taken<'a> {
    let text = |column: ObservationInput| chunk.text(column as usize, at);
    let quote = |column: ObservationInput| chunk.quote(column as usize, at);
    if let Some(reason) = chunk.fault(at) {
        return Err((reason, ""));
    }
    let key = [
        text(ObservationInput::Country),
        text(ObservationInput::Platform),
        text(ObservationInput::ProductId),
    ];
    let (country, listing) = lookup.find(key)?;
    let currency = text(ObservationInput::Currency);
    if !currency.is_empty() && !currency.eq_ignore_ascii_case(country.currency()) {
        return Err((Reason::WrongCurrency, currency));
    }
    let date = text(ObservationInput::Date);
    let (day, instant) =
        parse_observed(date).map_err(|error| (error.into(), quote(ObservationInput::Date)))?;
    let day = u16::try_from(day.minus(Day::OBSERVED_MIN))
        .map_err(|_| (Reason::DateOutOfRange, quote(ObservationInput::Date)))?;
    let price = Cents::parse(text(ObservationInput::Price));
    let price = price
        .map_err(|error| (price_fault(chunk, at, country, error), quote(ObservationInput::Price)))?
        .get();
    let list_price = Cents::parse(text(ObservationInput::ListPrice)).map_or(0, Cents::get);
    let stock = match truth(text(ObservationInput::InStock)) {
        Some(true) => STOCK_IN,
        Some(false) => STOCK_OUT,
        None => 0,
    };
    let promo = truth(text(ObservationInput::Promo)) == Some(true) || is_believed(price, list_price);
    let flags = stock | if promo { PROMO } else { 0 };
    Ok((listing, instant.micros(), ObservationRow { day, price, list_price, flags }))
}

/// Why a price is not taken.
fn price_fault(chunk: &Chunk, at: usize, country: Country, error: PriceError) -> Reason {
    let foreign = chunk.names_other_currency(ObservationInput::Price as usize, at, country);
    if error == PriceError::Unparsable && foreign { Reason::WrongCurrency } else { error.into() }
}

/// What the source says, where it says anything.
fn truth(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Country and number of a listing, or why there is none.
type Found<'a> = Result<(Country, u32), (Reason, &'a str)>;

/// Finds listings; rows of one listing mostly come together, so the last answer is kept.
struct Lookup<'a> {
    index: &'a Index,
    sellers: Sellers<'a>,
    last: Option<([&'a str; 3], Found<'a>)>,
    key: String,
}

impl<'a> Lookup<'a> {
    fn find(&mut self, key: [&'a str; 3]) -> Found<'a> {
        match self.last {
            Some((last, found)) if last == key => found,
            _ => {
                let found = self.search(key);
                self.last = Some((key, found));
                found
            }
        }
    }

    fn search(&mut self, key: [&'a str; 3]) -> Found<'a> {
        let [country, platform, product_id] = key;
        let country = Country::read(country).ok_or((Reason::UnknownCountry, country))?;
        let seller = self.sellers.number(platform).ok_or((Reason::InvalidPlatform, platform))?;
        if product_id.is_empty() {
            return Err((Reason::EmptyProductId, product_id));
        }
        if product_id.len() > PRODUCT_ID_BYTES_MAX {
            return Err((Reason::ProductIdTooLong, product_id));
        }
        let number = self.index.find(country, self.sellers.key(seller), product_id, &mut self.key);
        number.map(|number| (country, number)).ok_or((Reason::NoListing, product_id))
    }
}

impl Judged {
    fn note_oddities(
        &mut self,
        chunk: &Chunk,
        at: usize,
        row: &ObservationRow,
        sellers: &Sellers<'_>,
        file: &str,
    ) {
        let example = |value: &str| Example::new(file, chunk.line(at), value);
        let list_price = chunk.quote(ObservationInput::ListPrice as usize, at);
        if row.list_price == 0 && !list_price.is_empty() {
            self.ignored_list_prices.add(|| example(list_price));
        }
        let unknown = [
            (ObservationInput::InStock, row.flags & STOCK_MASK == 0),
            (ObservationInput::Promo, row.flags & PROMO == 0),
        ];
        for (column, _) in unknown.into_iter().filter(|(_, unknown)| *unknown) {
            let flag = chunk.text(column as usize, at);
            if !flag.is_empty() && truth(flag).is_none() {
                self.unreadable_flags.add(|| example(flag));
            }
        }
        if row.price == PLACEHOLDER_CENTS {
            let platform = chunk.text(ObservationInput::Platform as usize, at);
            let platform = sellers.known(platform).unwrap_or(platform).to_owned();
            let product_id = chunk.text(ObservationInput::ProductId as usize, at);
            self.one_cent_prices.entry(platform).or_default().add(|| example(product_id));
        }
    }
}

/// The observation by which a listing is known.
#[derive(Debug, Clone, Copy)]
struct Latest {
    day: u16,
    price: u32,
    instant: i64,
}

/// Observations in input order.
#[derive(Debug)]
pub(super) struct ObservationTable {
    pub listing: Vec<u32>,
    pub columns: ObservationColumns,
    latest: Vec<Option<Latest>>,
}

impl ObservationTable {
    /// An empty table about `listings` listings.
    pub(super) fn new(listings: usize) -> Self {
        Self { listing: Vec::new(), columns: ObservationColumns::default(), latest: vec![None; listings] }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.listing.len()
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.listing.is_empty()
    }

    /// Takes the rows of a chunk.
    pub(super) fn extend(&mut self, judged: Judged, report: &mut InputReport) -> Result<()> {
        ensure!(self.len() + judged.listing.len() <= ROWS_MAX, "more than {ROWS_MAX} rows of observations");
        merge(&mut report.one_cent_prices, judged.one_cent_prices);
        report.ignored_list_prices.merge(judged.ignored_list_prices);
        report.unreadable_flags.merge(judged.unreadable_flags);
        let ObservationColumns { day, price, .. } = &judged.columns;
        for (row, &listing) in judged.listing.iter().enumerate() {
            self.note_latest(
                listing,
                Latest { day: day[row], price: price[row], instant: judged.instant[row] },
            );
        }
        self.listing.extend_from_slice(&judged.listing);
        self.columns.append(judged.columns);
        Ok(())
    }

    /// Keeps the instant of the row that will stand for its listing: latest day, then lowest price, then first.
    fn note_latest(&mut self, listing: u32, seen: Latest) {
        let latest = &mut self.latest[listing as usize];
        let stands = latest
            .is_none_or(|last| seen.day > last.day || (seen.day == last.day && seen.price < last.price));
        if stands {
            *latest = Some(seen);
        }
    }

    /// Instant of the observation by which `listing` is known; 0 when it was never observed.
    pub(super) fn latest_instant(&self, listing: usize) -> i64 {
        self.latest[listing].map_or(0, |latest| latest.instant)
    }

    /// Earliest and latest day; nothing without a row.
    pub(super) fn span(&self) -> Option<(u16, u16)> {
        let day = &self.columns.day;
        Some((*day.iter().min()?, *day.iter().max()?))
    }
}

/// The date of a kept day.
pub(super) fn day_of(day: u16) -> Day {
    Day::OBSERVED_MIN.plus_days(i32::from(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_told_in_four_words() {
        let texts = ["TRUE", "1", "False", "0", "", "yes", "01"];
        let told = [Some(true), Some(true), Some(false), Some(false), None, None, None];
        assert_eq!(texts.map(truth), told);
    }
}
