//! Rows of a generated input, as data frames.

use std::ops::Range;

use anyhow::Result;
use polars::prelude::{
    Column, DataFrame, DataType, IntoColumn as _, NamedFrom as _, Series, StringChunkedBuilder,
};

use super::LAST_DAY;
use super::draw::{Draw, Stream};
use super::names::{PlannedProduct, barcode, product_id};
use super::path::Path;
use super::plan::{Offer, Plan, State};
use super::retailers::ListPrices;
use super::side_tables::brick;
use crate::snapshot::tables::{ListingInput, ObservationInput};
use crate::types::Day;

/// Share of days out of stock, and the number of days for which a stock status lasts.
const OUT_OF_STOCK_SHARE: f64 = 0.02;
const STOCK_DAYS: i32 = 4;
/// Share of observations with an implausible list price, and the factor by which it is too high.
const ABSURD_LIST_SHARE: f64 = 0.000_5;
const ABSURD_LIST_FACTOR: u32 = 7;
/// Share of listings that state the code of their brick.
const EXACT_BRICK_SHARE: f64 = 0.1;
/// Share of listings with a rating, for retailers that show ratings, and the maximum number of reviews.
const RATED_SHARE: f64 = 0.7;
const REVIEWS_MAX: f64 = 4_000.0;
/// Day number of every Thursday, modulo seven. Day 0, 1970-01-01, was a Thursday.
const THURSDAY: i32 = 0;
const WEEK_DAYS: i32 = 7;
/// Number of days that a churn rate refers to.
const MONTH_DAYS: f64 = 30.0;

/// The days of the input, and the observed days among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Days {
    pub count: u32,
    pub every: u32,
    /// Share of listings that disappear within thirty days. The same number of new listings appears. With 0, every
    /// listing is observed on every observed day.
    pub churn: f64,
}

impl Days {
    /// Number of observed days.
    pub(super) fn observed(self) -> u32 {
        self.count.div_ceil(self.every)
    }

    /// True if the day `at` days after the first day is observed. The last day is always observed.
    fn holds(self, at: u32) -> bool {
        (self.count - 1 - at).is_multiple_of(self.every)
    }

    fn first_day(self) -> Day {
        LAST_DAY.plus_days(1 - self.count as i32)
    }

    /// First and last day of a listing, in days from the first day of the input.
    fn life(self, draw: &mut Draw) -> (u32, u32) {
        let (come, left) = (draw.unit(), draw.unit());
        let (early, late) = (draw.chance(0.5), self.count - 1);
        let after =
            |drawn: f64| (drawn * MONTH_DAYS / self.churn.max(f64::MIN_POSITIVE)).min(f64::from(late));
        let (from, to) = (late - after(come) as u32, after(left) as u32);
        match (from, to) {
            // If the listing would appear after it disappears, only one of the two events happens.
            (from, to) if from > to && early => (0, to),
            (from, to) if from > to => (from, late),
            life => life,
        }
    }
}

/// Text columns of listings.
const TEXTS: [ListingInput; 10] = [
    ListingInput::Country,
    ListingInput::Platform,
    ListingInput::ProductId,
    ListingInput::ProductName,
    ListingInput::Brand,
    ListingInput::Gtin,
    ListingInput::CategoryPath,
    ListingInput::GpcCode,
    ListingInput::Condition,
    ListingInput::Url,
];

/// The rows of the listings with numbers in `range`. `departments` contains the number of listings of each department.
pub(super) fn listings(plan: &Plan, departments: &[u32], range: Range<u32>) -> Result<DataFrame> {
    let rows = range.len();
    let mut texts: [Vec<Option<String>>; TEXTS.len()] = std::array::from_fn(|_| Vec::with_capacity(rows));
    let (mut ratings, mut reviews) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut last: Option<(u32, PlannedProduct)> = None;
    for offer in plan.offers(range) {
        let first = offer.product.first;
        let known = last.take().filter(|(of, _)| *of == first).map(|(_, planned)| planned);
        let department = departments[offer.leaf.department];
        let planned =
            known.unwrap_or_else(|| PlannedProduct::of(plan.seed, offer.product, offer.leaf, department));
        let mut draw = offer.draws(Stream::Name);
        let values = words(plan, &offer, &planned, &mut draw);
        texts.iter_mut().zip(values).for_each(|(column, value)| {
            column.push(Some(value).filter(|value| !value.is_empty()));
        });
        let rated = offer.retailer.tells_ratings && draw.chance(RATED_SHARE);
        let (stars, count) = (draw.within(25.0, 50.0).round() / 10.0, draw.unit());
        ratings.push(rated.then_some(stars));
        reviews.push(rated.then_some((count * count * count * REVIEWS_MAX) as i64));
        last = Some((first, planned));
    }
    let named = TEXTS.iter().zip(texts);
    let mut columns: Vec<Column> =
        named.map(|(name, values)| Series::new(name.name().into(), values).into_column()).collect();
    columns.push(Series::new(ListingInput::Rating.name().into(), ratings).into_column());
    columns.push(Series::new(ListingInput::ReviewCount.name().into(), reviews).into_column());
    Ok(DataFrame::new(rows, columns)?)
}

fn words(plan: &Plan, offer: &Offer, planned: &PlannedProduct, draw: &mut Draw) -> [String; TEXTS.len()] {
    let Offer { retailer, leaf, product, .. } = offer;
    let id = product_id(offer);
    let url =
        if retailer.tells_urls { format!("https://{}.example/p/{id}", retailer.key) } else { String::new() };
    let code = if draw.chance(EXACT_BRICK_SHARE) { brick(leaf).to_string() } else { String::new() };
    [
        product.country.as_str().to_owned(),
        retailer.key.clone(),
        id,
        planned.name(offer, draw),
        planned.spelled_brand(plan.seed, offer),
        barcode(offer, draw),
        leaf.path(),
        code,
        condition(offer).to_owned(),
        url,
    ]
}

/// Value of the condition column. Half of the retailers state the condition in the name instead.
fn condition(offer: &Offer) -> &'static str {
    match offer.state {
        State::New if offer.retailer.name_style == 1 => "New",
        State::Used if !offer.retailer.name_style.is_multiple_of(2) => "Used - Good",
        State::Refurbished if !offer.retailer.name_style.is_multiple_of(2) => "Manufacturer refurbished",
        _ => "",
    }
}

/// The observations of the listings with numbers in `range`, listing by listing, oldest first.
pub(super) fn observations(plan: &Plan, days: Days, range: Range<u32>) -> Result<DataFrame> {
    let mut rows = Rows::with_capacity(range.len() * days.observed() as usize);
    for offer in plan.offers(range) {
        rows.follow(&offer, days);
    }
    rows.frame()
}

/// Columns of observations to which rows are added.
struct Rows {
    country: StringChunkedBuilder,
    platform: StringChunkedBuilder,
    product_id: StringChunkedBuilder,
    date: Vec<i32>,
    price: Vec<f64>,
    list_price: Vec<Option<f64>>,
    in_stock: Vec<Option<bool>>,
    promo: Vec<Option<bool>>,
}

impl Rows {
    fn with_capacity(rows: usize) -> Self {
        let text = |column: ObservationInput| StringChunkedBuilder::new(column.name().into(), rows);
        Self {
            country: text(ObservationInput::Country),
            platform: text(ObservationInput::Platform),
            product_id: text(ObservationInput::ProductId),
            date: Vec::with_capacity(rows),
            price: Vec::with_capacity(rows),
            list_price: Vec::with_capacity(rows),
            in_stock: Vec::with_capacity(rows),
            promo: Vec::with_capacity(rows),
        }
    }

    /// Adds the observations of a listing.
    fn follow(&mut self, offer: &Offer, days: Days) {
        let (from, to) = days.life(&mut offer.draws(Stream::Life));
        let mut draw = offer.draws(Stream::Stock);
        let (mut path, id) = (Path::of(offer), product_id(offer));
        let (first, mut out) = (days.first_day().days(), false);
        for at in 0..=to {
            let day = first + at as i32;
            if at > 0 {
                path.step(day.rem_euclid(WEEK_DAYS) == THURSDAY);
            }
            if at == 0 || day.rem_euclid(STOCK_DAYS) == 0 {
                out = draw.chance(OUT_OF_STOCK_SHARE);
            }
            let missing = days.churn > 0.0 && draw.chance(offer.retailer.gaps);
            let absurd = draw.chance(ABSURD_LIST_SHARE);
            if at >= from && days.holds(at) && !missing {
                self.push(offer, &id, day, &path, out, absurd);
            }
        }
    }

    fn push(&mut self, offer: &Offer, id: &str, day: i32, path: &Path, out: bool, absurd: bool) {
        let retailer = offer.retailer;
        let dollars = |cents: u32| f64::from(cents) / 100.0;
        let told = match retailer.list_prices {
            ListPrices::Always => Some(path.regular()),
            ListPrices::WhenReduced => path.is_promoted().then(|| path.regular()),
            ListPrices::Never => None,
        };
        let told = told.map(|cents| if absurd { cents.saturating_mul(ABSURD_LIST_FACTOR) } else { cents });
        self.country.append_value(offer.product.country.as_str());
        self.platform.append_value(&retailer.key);
        self.product_id.append_value(id);
        self.date.push(day);
        self.price.push(dollars(path.price()));
        self.list_price.push(told.map(dollars));
        self.in_stock.push(retailer.tells_stock.then_some(!out));
        self.promo.push(retailer.flags_promotions.then_some(path.is_promoted()));
    }

    fn frame(self) -> Result<DataFrame> {
        let rows = self.date.len();
        let date = Series::new(ObservationInput::Date.name().into(), self.date).cast(&DataType::Date)?;
        let columns = vec![
            self.country.finish().into_column(),
            self.platform.finish().into_column(),
            self.product_id.finish().into_column(),
            date.into_column(),
            Series::new(ObservationInput::Price.name().into(), self.price).into_column(),
            Series::new(ObservationInput::ListPrice.name().into(), self.list_price).into_column(),
            Series::new(ObservationInput::InStock.name().into(), self.in_stock).into_column(),
            Series::new(ObservationInput::Promo.name().into(), self.promo).into_column(),
        ];
        Ok(DataFrame::new(rows, columns)?)
    }
}
