//! Price endings: the cents that a retailer prefers, and the nearest price with such an ending.

use super::categories::Trade;
use super::draw::{Draw, sums};

/// Measured endings, in cents, with their shares in percent. The remaining share is divided equally among [`OTHERS`].
const GROCERY: &[(u32, f64)] = &[(99, 37.0), (49, 14.0), (0, 7.0)];
const ELECTRONICS: &[(u32, f64)] = &[(99, 57.0), (0, 17.0), (95, 8.0)];
const OTHERS: &[u32] = &[29, 79, 98, 97, 69, 89, 19, 59, 88, 50];
/// Range of the factor by which a retailer's share of an ending differs from the measured one.
const LIKING: [f64; 2] = [0.6, 1.4];
/// Price, in cents, below which prices end in the digit 9 instead: a step of a dollar would be too large.
const SMALL_CENTS: f64 = 150.0;

/// The endings of one retailer.
#[derive(Debug, Clone)]
pub(super) struct Endings {
    cents: Vec<u32>,
    sums: Vec<f64>,
}

impl Endings {
    /// Draws the shares of a retailer's endings, near the measured shares of its trade.
    pub(super) fn of(trade: Trade, draw: &mut Draw) -> Self {
        let measured =
            if matches!(trade, Trade::Electronics | Trade::Fashion) { ELECTRONICS } else { GROCERY };
        let left = 100.0 - measured.iter().map(|(_, share)| share).sum::<f64>();
        let each = left / OTHERS.len() as f64;
        let all = measured.iter().copied().chain(OTHERS.iter().map(|&cents| (cents, each)));
        let (cents, weights): (Vec<u32>, Vec<f64>) =
            all.map(|(cents, share)| (cents, share * draw.within(LIKING[0], LIKING[1]))).unzip();
        Self { cents, sums: sums(weights) }
    }

    /// Draws an ending, in cents.
    pub(super) fn draw(&self, draw: &mut Draw) -> u32 {
        self.cents[draw.weighted(&self.sums)]
    }
}

/// The price in cents nearest to `cents` that ends in `ending`; at least one cent.
pub(super) fn nearest(cents: f64, ending: u32) -> u32 {
    if cents < SMALL_CENTS {
        return (((cents / 10.0).floor() * 10.0) as u32 + 9).max(9);
    }
    let whole = ((cents - f64::from(ending)) / 100.0).round().max(0.0);
    (whole as u32 * 100 + ending).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_move_to_their_endings() {
        for (cents, ending, expected) in [
            (560.0, 99, 599),
            (549.0, 99, 599),
            (548.0, 99, 499),
            (1234.0, 0, 1200),
            (87.0, 49, 89),
            (3.0, 99, 9),
        ] {
            assert_eq!(nearest(cents, ending), expected, "{cents} {ending}");
        }
    }
}
