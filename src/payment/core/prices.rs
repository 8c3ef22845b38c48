//! What requests cost: one table, in atomic USDC, which has six decimals and is taken for a US dollar.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::check::Check;
use crate::query::descriptor::PriceClass;
use crate::query::endpoint::Route;

/// Atomic USDC in a US dollar.
pub const ATOMIC_PER_USD: u64 = 1_000_000;

/// Highest price that is taken for one that is meant, in atomic USDC: a thousand dollars.
pub const PRICE_ATOMIC_MAX: u64 = 1_000_000_000;

/// Items of a batch that are paid for together.
pub const BATCH_ITEMS: u32 = 10;

/// Price of each class, in atomic USDC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    shopper: u64,
    marketing: u64,
    reference: u64,
    analyst: u64,
    deep: u64,
    batch_ten: u64,
    batch_most: u64,
}

/// What the configuration says of prices, in atomic USDC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawPrices {
    /// Shopper reads.
    pub shopper: Option<u64>,
    /// Marketing reads.
    pub marketing: Option<u64>,
    /// Reference reads.
    pub reference: Option<u64>,
    /// Analyst reads.
    pub analyst: Option<u64>,
    /// The deepest reads.
    pub deep: Option<u64>,
    /// Each ten items of a batch that are begun.
    pub batch_ten: Option<u64>,
    /// The largest batches.
    pub batch_most: Option<u64>,
}

impl Prices {
    /// The prices where the configuration names none.
    pub const DEFAULT: Self = Self {
        shopper: 10_000,
        marketing: 10_000,
        reference: 10_000,
        analyst: 20_000,
        deep: 50_000,
        batch_ten: 10_000,
        batch_most: 50_000,
    };

    /// Checks the prices of a configuration. A price that cannot be is a fault, and the default takes its place.
    pub fn new(raw: RawPrices, check: &mut Check) -> Self {
        let mut price = |class: &str, raw: Option<u64>, default: u64| match raw {
            None => default,
            Some(price @ 1..=PRICE_ATOMIC_MAX) => price,
            Some(price) => {
                let reason = format!(
                    "is {price}, which is not a price: give atomic USDC from 1 to {PRICE_ATOMIC_MAX}; 10000 is $0.01"
                );
                check.fault(&format!("payment.prices.{class}"), reason);
                default
            }
        };
        let default = Self::DEFAULT;
        Self {
            shopper: price("shopper", raw.shopper, default.shopper),
            marketing: price("marketing", raw.marketing, default.marketing),
            reference: price("reference", raw.reference, default.reference),
            analyst: price("analyst", raw.analyst, default.analyst),
            deep: price("deep", raw.deep, default.deep),
            batch_ten: price("batch_ten", raw.batch_ten, default.batch_ten),
            batch_most: price("batch_most", raw.batch_most, default.batch_most),
        }
    }

    /// What a request of a route costs, in a sentence.
    pub fn said(&self, route: &Route) -> String {
        self.words(route).map_or_else(|| "Free.".to_owned(), |price| format!("Costs {price}."))
    }

    /// What a request of a route costs, within a sentence; `None` for a free one.
    pub fn words(&self, route: &Route) -> Option<String> {
        if route.is_free() {
            return None;
        }
        let price = |class| format!("{} USD", usd(self.of(class)));
        let usual = price(route.usual_price());
        Some(match (route.deep, route.dearest_price()) {
            (Some(deep), _) => format!("{usual}; {} for {deep}", price(PriceClass::Deep)),
            (None, Some(most)) => {
                format!(
                    "{usual} for each started group of {BATCH_ITEMS} answered items, at most {}",
                    price(most)
                )
            }
            (None, None) => usual,
        })
    }

    /// What the dearest request costs, in atomic USDC.
    pub fn dearest(&self) -> u64 {
        let Self { shopper, marketing, reference, analyst, deep, batch_ten: _, batch_most } = *self;
        [shopper, marketing, reference, analyst, deep, batch_most].into_iter().max().unwrap_or_default()
    }

    /// Price of a class, in atomic USDC; 0 for what is free.
    pub const fn of(&self, class: PriceClass) -> u64 {
        match class {
            PriceClass::Free => 0,
            PriceClass::Shopper => self.shopper,
            PriceClass::Marketing => self.marketing,
            PriceClass::Reference => self.reference,
            PriceClass::Analyst => self.analyst,
            PriceClass::Deep => self.deep,
            PriceClass::Batch(items) => {
                let whole = self.batch_ten.saturating_mul(items.div_ceil(BATCH_ITEMS) as u64);
                if whole < self.batch_most { whole } else { self.batch_most }
            }
        }
    }
}

impl Default for Prices {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What an answer costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedPrice {
    /// Amount in US dollars, in plain digits with two to six decimals.
    amount: String,
    /// Always `USD`.
    currency: &'static str,
    /// The same amount in atomic USDC: millionths of a dollar, in plain digits.
    atomic: String,
}

impl QuotedPrice {
    /// A price in atomic USDC.
    pub fn of(atomic: u64) -> Self {
        Self { amount: usd(atomic), currency: "USD", atomic: atomic.to_string() }
    }
}

impl fmt::Display for QuotedPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

/// An atomic amount in US dollars, with the decimals that it needs and at least two.
pub fn usd(atomic: u64) -> String {
    let (whole, decimals) = (atomic / ATOMIC_PER_USD, format!("{:06}", atomic % ATOMIC_PER_USD));
    let (cents, rest) = decimals.split_at(2);
    format!("{whole}.{cents}{}", rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_have_two_decimals_or_what_they_need() {
        for (atomic, text) in [
            (0, "0.00"),
            (1, "0.000001"),
            (10_000, "0.01"),
            (12_340, "0.01234"),
            (100_000, "0.10"),
            (999_999, "0.999999"),
            (1_000_000, "1.00"),
            (1_000_000_000, "1000.00"),
            (u64::MAX, "18446744073709.551615"),
        ] {
            assert_eq!(usd(atomic), text);
        }
    }

    proptest! {
        #[test]
        fn an_amount_can_be_read_back(atomic: u64) {
            let text = usd(atomic);
            let (whole, decimals) = text.split_once('.').expect("a point");
            prop_assert!((2..=6).contains(&decimals.len()));
            let read: u128 = format!("{whole}{decimals:0<6}").parse().expect("digits");
            prop_assert_eq!(read, u128::from(atomic));
        }
    }

    #[test]
    fn the_defaults_are_the_published_prices() {
        let price = |class| usd(Prices::default().of(class));
        assert_eq!(price(PriceClass::Free), "0.00");
        for class in [PriceClass::Shopper, PriceClass::Marketing, PriceClass::Reference] {
            assert_eq!(price(class), "0.01");
        }
        assert_eq!((price(PriceClass::Analyst), price(PriceClass::Deep)), ("0.02".into(), "0.05".into()));
    }

    #[test]
    fn a_batch_costs_each_ten_items_begun_and_no_more_than_the_most() {
        let price = |items| Prices::DEFAULT.of(PriceClass::Batch(items));
        for (items, cents) in [(1, 1), (10, 1), (11, 2), (20, 2), (40, 4), (41, 5), (51, 5), (100, 5)] {
            assert_eq!(price(items), cents * 10_000, "{items}");
        }
        assert_eq!(price(u32::MAX), Prices::DEFAULT.batch_most);
    }

    #[test]
    fn a_price_that_cannot_be_is_named() {
        let mut check = Check::new(false);
        let raw = RawPrices {
            shopper: Some(0),
            analyst: Some(PRICE_ATOMIC_MAX),
            deep: Some(PRICE_ATOMIC_MAX + 1),
            batch_ten: Some(0),
            batch_most: Some(PRICE_ATOMIC_MAX + 1),
            ..RawPrices::default()
        };
        let prices = Prices::new(raw, &mut check);
        let faults = check.into_faults();
        let keys: Vec<&str> = faults.iter().map(|fault| fault.key.as_str()).collect();
        let named =
            ["shopper", "deep", "batch_ten", "batch_most"].map(|name| format!("payment.prices.{name}"));
        assert_eq!(keys, named);
        assert!(faults[0].to_string().contains("from 1 to 1000000000"), "{}", faults[0]);
        assert_eq!(prices.of(PriceClass::Analyst), PRICE_ATOMIC_MAX);
        assert_eq!(prices.of(PriceClass::Marketing), 10_000);
    }
}
