//! Mathematics on slices of numbers, independent of retail concepts.
//!
//! This module does not use listings or countries, and does not import other modules. Exact integer arithmetic is
//! used as long as a value is a ratio or a mean of integers: means, discounts, shares and changes of cents are exact
//! rationals ([`exact`]), rounded once, at the end. Values that involve logarithms, roots or interpolation are f64.
//! They are summed in the order of the input, independent of the number of threads, so that results are reproducible.
//!
//! In reading order:
//!
//! - [`quantile`]: type 7 quantiles, by sorting or by selection
//! - [`exact`]: means and medians of fractions as exact rationals
//! - [`mean_of_ratios`]: the mean of very many fractions with different denominators
//! - [`cross_section`]: the prices of many products in one period
//! - [`like_for_like`]: the matched basket between two periods
//! - [`jevons`]: the geometric mean of price relatives
//! - [`price_index`]: indices over many periods: GEKS, the time-product dummy, splices, intervals
//! - [`bands`]: spread, band and tiers of prices in log space
//! - [`spreads`]: price differences between the sellers of the same product
//! - [`rng`]: pseudo-random numbers that are determined by a seed

pub mod bands;
pub mod cross_section;
pub mod exact;
pub mod jevons;
pub mod like_for_like;
pub mod mean_of_ratios;
pub mod price_index;
pub mod quantile;
pub mod rng;
pub mod spreads;
