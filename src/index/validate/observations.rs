//! Rules of one row of observations. Whether there is a listing of its key is asked after them, since a row's own
//! faults do not hang on other files.

use super::sellers::{Sellers, Spelling};
use crate::index::normalized::{PROMO, STOCK_IN, STOCK_MASK, STOCK_OUT};
use crate::index::runs::Odd;
use crate::ingest::limits::PRODUCT_ID_BYTES_MAX;
use crate::ingest::mapping::Retailers;
use crate::ingest::parsers::is_currency_of;
use crate::ingest::rejects::Reason;
use crate::ingest::{Chunk, Holds, InputFile};
use crate::snapshot::tables::{Input, ListingInput, ObservationInput, ObservationRow};
use crate::types::day::parse_observed;
use crate::types::money::is_believed;
use crate::types::{Cents, Country, Day, PriceError};

/// The columns that are read of observations in a file of both tables: the name says whether a row is a listing too.
const NAMED: &[Input] = &{
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

/// What is read of a file of observations.
pub(in crate::index) fn columns(file: &InputFile) -> &'static [Input] {
    if file.holds == Holds::Both { NAMED } else { ObservationInput::ALL }
}

/// Whether a row of a file of both tables says nothing of an observation.
pub(in crate::index) fn is_listing_alone(chunk: &Chunk, at: usize) -> bool {
    let says = |column: usize| !chunk.text(column, at).is_empty();
    says(NAME) && !says(ObservationInput::Date as usize) && !says(ObservationInput::Price as usize)
}

/// What a row without a fault of its own says.
#[derive(Debug, Clone)]
pub(in crate::index) struct ValidatedObservation<'a> {
    pub key: RowKey<'a>,
    pub row: ObservationRow,
    /// Microseconds since 1970 UTC.
    pub micros: i64,
}

/// Which listing a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::index) struct RowKey<'a> {
    pub country: Country,
    /// Number of the retailer among those of the rules.
    pub seller: u32,
    pub product_id: &'a str,
}

/// A key, or why a row has none and the value that decided.
type KeyResult<'a> = Result<RowKey<'a>, (Reason, &'a str)>;

/// Judges the rows of a chunk, one by one. Rows of one listing mostly come together, so the last key is kept.
pub(in crate::index) struct ObservationRules<'a> {
    sellers: Sellers<'a>,
    last: Option<([&'a str; 3], KeyResult<'a>)>,
}

impl<'a> ObservationRules<'a> {
    pub(in crate::index) fn new(retailers: &'a Retailers) -> Self {
        Self { sellers: Sellers::new(retailers), last: None }
    }

    /// The retailer's key with a number.
    pub(in crate::index) fn platform(&self, seller: u32) -> &str {
        self.sellers.key(seller)
    }

    /// Keys of retailers and how they were written.
    pub(in crate::index) fn spellings(&self) -> Vec<Spelling> {
        self.sellers.spellings()
    }

    /// What a row says, or why it is not taken and the value that decided.
    pub(in crate::index) fn row(
        &mut self,
        chunk: &'a Chunk,
        at: usize,
    ) -> Result<ValidatedObservation<'a>, (Reason, &'a str)> {
        let text = |column: ObservationInput| chunk.text(column as usize, at);
        let quote = |column: ObservationInput| chunk.quote(column as usize, at);
        if let Some(fault) = chunk.fault(at) {
            return Err(fault);
        }
        let key = [
            text(ObservationInput::Country),
            text(ObservationInput::Platform),
            text(ObservationInput::ProductId),
        ];
        let key = self.key(key)?;
        let currency = text(ObservationInput::Currency);
        let is_own = currency.is_empty() || currency.eq_ignore_ascii_case(key.country.currency());
        if !is_own && !is_currency_of(key.country, currency) {
            return Err((Reason::WrongCurrency, currency));
        }
        let (day, instant) = parse_observed(text(ObservationInput::Date))
            .map_err(|error| (error.into(), quote(ObservationInput::Date)))?;
        let day = u16::try_from(day.minus(Day::OBSERVED_MIN))
            .map_err(|_| (Reason::DateOutOfRange, quote(ObservationInput::Date)))?;
        let stock = truth(text(ObservationInput::InStock));
        if text(ObservationInput::Price).is_empty() {
            let reason = if stock == Some(false) { Reason::UnpricedOutOfStock } else { Reason::MissingPrice };
            return Err((reason, quote(ObservationInput::Price)));
        }
        let price = Cents::parse(text(ObservationInput::Price));
        let price = price
            .map_err(|error| (price_fault(chunk, at, key.country, error), quote(ObservationInput::Price)))?
            .get();
        let list_price = Cents::parse(text(ObservationInput::ListPrice)).map_or(0, Cents::get);
        let stock = match stock {
            Some(true) => STOCK_IN,
            Some(false) => STOCK_OUT,
            None => 0,
        };
        let promo = truth(text(ObservationInput::Promo)) == Some(true) || is_believed(price, list_price);
        let flags = stock | if promo { PROMO } else { 0 };
        let row = ObservationRow { day, price, list_price, flags };
        Ok(ValidatedObservation { key, row, micros: instant.micros() })
    }

    fn key(&mut self, texts: [&'a str; 3]) -> KeyResult<'a> {
        match self.last {
            Some((last, found)) if last == texts => found,
            _ => {
                let found = self.read_key(texts);
                self.last = Some((texts, found));
                found
            }
        }
    }

    fn read_key(&mut self, [country, platform, product_id]: [&'a str; 3]) -> KeyResult<'a> {
        let country = Country::read(country).ok_or((Reason::UnknownCountry, country))?;
        let seller = self.sellers.number(platform).ok_or((Reason::InvalidPlatform, platform))?;
        if product_id.is_empty() {
            return Err((Reason::EmptyProductId, product_id));
        }
        if product_id.contains(char::REPLACEMENT_CHARACTER) {
            return Err((Reason::InexactId, product_id));
        }
        if product_id.len() > PRODUCT_ID_BYTES_MAX {
            return Err((Reason::ProductIdTooLong, product_id));
        }
        Ok(RowKey { country, seller, product_id })
    }
}

/// Tells what is odd about a row without a fault, each with the value in question.
pub(in crate::index) fn oddities(
    chunk: &Chunk,
    at: usize,
    row: &ObservationRow,
    mut note: impl FnMut(Odd, &str),
) {
    if row.list_price == 0 {
        let list_price = ObservationInput::ListPrice as usize;
        if !chunk.text(list_price, at).is_empty() {
            note(Odd::IgnoredListPrice, chunk.quote(list_price, at));
        }
    }
    let unknown = [
        (ObservationInput::InStock, row.flags & STOCK_MASK == 0),
        (ObservationInput::Promo, row.flags & PROMO == 0),
    ];
    for (column, _) in unknown.into_iter().filter(|(_, unknown)| *unknown) {
        let flag = chunk.text(column as usize, at);
        if !matches!(flag, "" | "unknown") && truth(flag).is_none() {
            note(Odd::UnreadableFlag, flag);
        }
    }
    if row.price == PLACEHOLDER_CENTS {
        note(Odd::OneCentPrice, chunk.text(ObservationInput::ProductId as usize, at));
    }
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
