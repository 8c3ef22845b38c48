//! Ground floor: the mathematics, on slices, without a word of the trade.
//!
//! Nothing here knows what a listing or a country is, and nothing imports from another room. Exact integer
//! arithmetic is used as long as a figure is a ratio or a mean of integers; what goes through logarithms or
//! interpolation is f64, summed in the order in which it was given, so that one input has one answer.
//!
//! In reading order:
//!
//! - [`quantile`]: type 7 quantiles, by sorting or by selection
//! - [`exact`]: means and medians of fractions as exact rationals
//! - [`mean_of_ratios`]: the mean of very many unlike fractions
//! - [`cross_section`]: the prices of many products in one period
//! - [`like_for_like`]: the matched basket between two periods
//! - [`jevons`]: the geometric mean of price relatives
//! - [`price_index`]: indices over many periods: GEKS, the time-product dummy, splices, intervals
//! - [`bands`]: spread, band and tiers of prices in log space
//! - [`spreads`]: how far apart the sellers of the same product are
//! - [`splitmix`]: numbers that look random and follow from a seed

pub mod bands;
pub mod cross_section;
pub mod exact;
pub mod jevons;
pub mod like_for_like;
pub mod mean_of_ratios;
pub mod price_index;
pub mod quantile;
pub mod splitmix;
pub mod spreads;
