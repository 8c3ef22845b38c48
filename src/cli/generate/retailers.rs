//! Retailers: the departments and countries in which a retailer sells, and the habits that apply to all its listings.
//!
//! Each department of a country has a few chains and a long tail of small shops, whose sizes follow a power law.

use super::categories::{DEPARTMENTS, Trade};
use super::draw::{Draw, Stream, sums};
use super::endings::Endings;
use crate::types::Country;

/// Names of chains by trade. A small catalog uses only the first names of each trade.
const CHAINS: [(Trade, &[&str]); 5] = [
    (
        Trade::Grocery,
        &[
            "northmart",
            "valufare",
            "freshlane",
            "maplegrove",
            "citygrocer",
            "foodbarn",
            "saveplus",
            "greenway",
        ],
    ),
    (
        Trade::Electronics,
        &["voltage", "bytehouse", "circuitcity1", "pixelpoint", "techdepot", "partspicker", "soundworks"],
    ),
    (Trade::Fashion, &["striderow", "urbanloom", "solemates", "threadbare", "outfitted"]),
    (Trade::Liquor, &["cellar-door", "provincial", "corkscrew", "barrelhouse"]),
    (
        Trade::General,
        &["megamart", "everyday", "homeward", "bargainhub", "oneclick", "warehouse9", "familyco"],
    ),
];
/// Number of chains of a trade in a small catalog, and listings per additional chain.
const CHAINS_MIN: usize = 4;
const CHAIN_LISTINGS: u32 = 400;
/// Minimum number of small shops in a country.
const SHOPS_MIN: usize = 3;
/// Share of small shops that sell everything; the others sell the departments of one trade.
const SHOP_GENERAL_SHARE: f64 = 0.3;
/// Share of general retailers whose prices hardly ever change ([`Regime::Steady`]).
const STEADY_SHARE: f64 = 0.2;
/// Bounds of the share of a retailer's listings that have a barcode.
const BARCODES: [f64; 2] = [0.02, 0.97];
/// Bounds of the share of a retailer's observations on promotion.
const PROMOTED: [f64; 2] = [0.06, 0.31];
/// Golden ratio minus one. Its multiples, modulo one, are evenly spread.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Offset of the ranks in the power law, so that the largest retailer does not have half of all listings.
const RANKS_MISSING: f64 = 2.0;
/// Standard deviation of the log price level of retailers.
const LEVEL_SIGMA: f64 = 0.03;
/// Lowest number of a small shop. Lower numbers belong to chains.
const SHOP_NUMBERS: u64 = 1_000;

/// Pattern by which the prices of a retailer change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Regime {
    /// Promotions from Thursday to Thursday, and regular prices that seldom change.
    Promoting {
        /// Share of observations on promotion.
        promoted: f64,
    },
    /// A price that follows the market up and down.
    Following {
        /// Share of observations on promotion.
        promoted: f64,
    },
    /// Prices that hardly ever change.
    Steady,
}

/// Notation in which a retailer writes its barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BarcodeNotation {
    Twelve,
    Fourteen,
    Thirteen,
    /// As a floating-point number, with `.0` at the end, as some exports write it.
    Float,
    /// In scientific notation, as from a spreadsheet. Digits are lost, so the barcode is not usable.
    Scientific,
}

/// Observations in which a retailer states a list price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListPrices {
    Always,
    WhenReduced,
    /// Never; the retailer flags promotions instead.
    Never,
}

/// A retailer in one country.
// The flags are habits that do not depend on each other, so an enum would not replace them.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone)]
pub(super) struct Retailer {
    pub key: String,
    /// Number of the retailer, the same in both countries and in every catalog of a seed.
    pub number: u64,
    pub country: Country,
    /// `None` for a retailer that sells every department.
    pub trade: Option<Trade>,
    pub endings: Endings,
    pub regime: Regime,
    pub barcodes: f64,
    pub barcode_notation: BarcodeNotation,
    pub list_prices: ListPrices,
    pub flags_promotions: bool,
    pub tells_stock: bool,
    pub tells_ratings: bool,
    pub tells_urls: bool,
    /// Sells refurbished and used goods too.
    pub resells: bool,
    /// Share of days without a price.
    pub gaps: f64,
    pub name_style: u8,
    /// Logarithm of the retailer's price level, relative to the manufacturers' prices.
    pub level: f64,
}

/// Retailers of one department in one country, the largest first.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub retailers: Vec<u16>,
    pub sums: Vec<f64>,
}

/// All retailers, and the retailers of each department in each country.
#[derive(Debug)]
pub(super) struct Retailers {
    pub all: Vec<Retailer>,
    /// Pools, indexed by country and then by department.
    pools: [Vec<Pool>; 2],
}

impl Retailers {
    pub(super) fn of(seed: u64, listings: u32) -> Self {
        let all: Vec<Retailer> =
            Country::ALL.into_iter().flat_map(|country| of_country(seed, listings, country)).collect();
        let pools = Country::ALL.map(|country| {
            DEPARTMENTS.iter().map(|department| pool(&all, country, department.trade)).collect()
        });
        Self { all, pools }
    }

    pub(super) fn pool(&self, country: Country, department: usize) -> &Pool {
        &self.pools[country as usize][department]
    }
}

fn of_country(seed: u64, listings: u32, country: Country) -> Vec<Retailer> {
    let mut retailers = Vec::new();
    let chains = CHAINS_MIN + (listings / CHAIN_LISTINGS) as usize;
    for (group, (trade, names)) in CHAINS.into_iter().enumerate() {
        for (at, name) in names.iter().take(chains).enumerate() {
            let trade = Some(trade).filter(|&trade| trade != Trade::General);
            let number = (group * 100 + at) as u64;
            retailers.push(retailer(seed, country, (*name).to_owned(), number, trade, false));
        }
    }
    // The number of small shops grows with the square root of the listings, so that sizes have a long tail.
    let shops = (f64::from(listings).sqrt() / 2.0) as usize;
    for at in 0..shops.max(SHOPS_MIN) {
        let number = SHOP_NUMBERS + at as u64;
        let mut draw = Draw::at(seed, Stream::Retailer, &[number, u64::MAX]);
        let department = DEPARTMENTS[draw.below(DEPARTMENTS.len())].trade;
        let trade = Some(department).filter(|_| !draw.chance(SHOP_GENERAL_SHARE));
        let key = format!("shop-{}{at}", country.as_str());
        retailers.push(retailer(seed, country, key, number, trade, true));
    }
    retailers
}

fn retailer(
    seed: u64,
    country: Country,
    key: String,
    number: u64,
    trade: Option<Trade>,
    small: bool,
) -> Retailer {
    let mut draw = Draw::at(seed, Stream::Retailer, &[number, country as u64]);
    // The chains of a trade have values of `place` that are evenly spread over [0, 1). The cube moves most shares of
    // promotions towards the lower bound.
    let place = (number as f64 * GOLDEN + Draw::at(seed, Stream::Retailer, &[country as u64]).unit()).fract();
    let habit = trade.unwrap_or(if small { Trade::Electronics } else { Trade::Grocery });
    let promoted = PROMOTED[0] + (PROMOTED[1] - PROMOTED[0]) * place * place * place;
    let regime = match trade {
        Some(Trade::Electronics) => Regime::Following { promoted },
        None if draw.chance(STEADY_SHARE) => Regime::Steady,
        _ if small => Regime::Following { promoted },
        _ => Regime::Promoting { promoted },
    };
    let forms = [
        BarcodeNotation::Twelve,
        BarcodeNotation::Fourteen,
        BarcodeNotation::Thirteen,
        BarcodeNotation::Float,
    ];
    let barcode_notation =
        if small && draw.chance(0.05) { BarcodeNotation::Scientific } else { *draw.pick(&forms) };
    // The square root makes high shares of listings with a barcode more frequent.
    let barcodes = BARCODES[0] + (BARCODES[1] - BARCODES[0]) * draw.unit().sqrt();
    let list_prices = *draw.pick(&[
        ListPrices::Always,
        ListPrices::WhenReduced,
        ListPrices::WhenReduced,
        ListPrices::Never,
    ]);
    Retailer {
        key,
        number,
        country,
        trade,
        endings: Endings::of(habit, &mut draw),
        regime,
        barcodes,
        barcode_notation,
        list_prices,
        flags_promotions: list_prices == ListPrices::Never || draw.chance(0.5),
        tells_stock: draw.chance(0.8),
        tells_ratings: draw.chance(0.6),
        tells_urls: draw.chance(0.4),
        resells: small && draw.chance(0.5),
        gaps: if small && draw.chance(0.3) { 0.1 } else { 0.0 },
        name_style: draw.below(6) as u8,
        level: LEVEL_SIGMA * draw.normal(),
    }
}

/// The retailers of a trade, weighted by their rank to the power of -1.5.
fn pool(all: &[Retailer], country: Country, trade: Trade) -> Pool {
    let sells = |retailer: &&(usize, &Retailer)| {
        let Retailer { country: at, trade: own, .. } = retailer.1;
        *at == country && own.is_none_or(|own| own == trade)
    };
    let mut own: Vec<(usize, &Retailer)> = all.iter().enumerate().collect::<Vec<_>>();
    own = own.iter().filter(sells).copied().collect();
    // Chains come before shops; in either group, specialists come first.
    own.sort_by_key(|(at, retailer)| (retailer.number >= SHOP_NUMBERS, retailer.trade.is_none(), *at));
    let weight = |rank: usize| {
        let rank = rank as f64 + 1.0 + RANKS_MISSING;
        1.0 / (rank * rank.sqrt())
    };
    let sums = sums((0..own.len()).map(weight));
    Pool { retailers: own.into_iter().map(|(at, _)| at as u16).collect(), sums }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_department_has_retailers_in_both_countries() {
        for listings in [1, 60, 20_000, 1_000_000] {
            let retailers = Retailers::of(5, listings);
            for country in Country::ALL {
                for department in 0..DEPARTMENTS.len() {
                    let pool = retailers.pool(country, department);
                    assert!(pool.retailers.len() >= 4, "{listings}: {:?}", pool.retailers);
                    assert_eq!(pool.retailers.len(), pool.sums.len());
                }
            }
            let keys: std::collections::HashSet<_> =
                retailers.all.iter().map(|one| (one.country, &one.key)).collect();
            assert_eq!(keys.len(), retailers.all.len());
        }
    }
}
