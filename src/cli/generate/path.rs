//! The price of one listing, day by day.
//!
//! Many listings never change their price. Depending on the retailer, the prices of other listings have promotions,
//! mostly from Thursday to Thursday, or follow the market in small steps.

use super::draw::{Draw, Stream, exp};
use super::endings::{Endings, nearest};
use super::plan::Offer;
use super::retailers::Regime;

/// Shares of promotions of one week and of two weeks. Others last a number of days within [`ODD_DAYS`].
const WEEK_SHARE: f64 = 0.62;
const FORTNIGHT_SHARE: f64 = 0.28;
const ODD_DAYS: [usize; 2] = [3, 9];
/// Mean length of a promotion, in days.
const PROMOTION_DAYS: f64 = 8.9;
/// Factors of the length of promotions, and of their share of days, for retailers that follow the market.
const LONG_FACTOR: f64 = 3.0;
const FOLLOWING_PROMOTED_FACTOR: f64 = 0.5;
/// Depth of a promotion, as a share of the price: median, standard deviation of its logarithm, bounds.
const DEPTH: f64 = 0.17;
const DEPTH_SIGMA: f64 = 0.575;
const DEPTHS: [f64; 2] = [0.03, 0.6];
/// Share of promotions with the same depth as the listing's previous promotion.
const SAME_DEPTH_SHARE: f64 = 0.3;
/// Share of changes that are made on a Thursday, for retailers with weekly promotions.
const THURSDAY_SHARE: f64 = 0.72;
const WEEK: f64 = 7.0;
/// Share of changes of the regular price that are increases.
const UP_SHARE: f64 = 0.56;
/// Size of a change of the regular price: standard deviation of its logarithm, and maximum.
const MOVE_SIGMA: f64 = 0.7;
const MOVE_MAX: f64 = 0.7;
/// Share of changes of the regular price that keep the price ending.
const SAME_ENDING_SHARE: f64 = 0.6;

/// Rates of price changes of a listing, by the pricing regime of its retailer.
#[derive(Debug, Clone, Copy)]
struct Rates {
    /// Share of listings whose price changes at all.
    movers: f64,
    /// Share of days on promotion, for a listing whose price changes.
    promoted: f64,
    /// Promotions begun per day, while the listing is not on promotion.
    begun: f64,
    /// Changes of the regular price per day, while the listing is not on promotion.
    moved: f64,
    /// Median size of a change, as the logarithm of the ratio of prices.
    size: f64,
    /// Share of changes back to the former price.
    back: f64,
    /// Factor of the length of promotions.
    longer: f64,
    thursdays: bool,
}

impl Rates {
    fn of(regime: Regime) -> Self {
        match regime {
            Regime::Promoting { promoted } => {
                let begun = |promoted: f64| promoted / ((1.0 - promoted) * PROMOTION_DAYS);
                let (movers, promoted) = (0.61, promoted / 0.61);
                let begun = begun(promoted);
                // About one price change in five is a change of the regular price.
                let moved = 0.45 * begun * (1.0 - promoted);
                Self { movers, promoted, begun, moved, size: 0.2, back: 0.2, longer: 1.0, thursdays: true }
            }
            Regime::Following { promoted } => {
                let (movers, promoted) = (0.85, promoted * FOLLOWING_PROMOTED_FACTOR / 0.85);
                let begun = promoted / ((1.0 - promoted) * PROMOTION_DAYS * LONG_FACTOR);
                Self {
                    movers,
                    promoted,
                    begun,
                    moved: 0.027,
                    size: 0.08,
                    back: 0.06,
                    longer: LONG_FACTOR,
                    thursdays: false,
                }
            }
            Regime::Steady => {
                let (promoted, begun, moved) = (0.0, 0.0, 0.000_7);
                Self {
                    movers: 1.0,
                    promoted,
                    begun,
                    moved,
                    size: 0.08,
                    back: 0.0,
                    longer: 1.0,
                    thursdays: false,
                }
            }
        }
    }

    /// A daily rate, adjusted to whether the day is a Thursday.
    fn on(&self, rate: f64, thursday: bool) -> f64 {
        match (self.thursdays, thursday) {
            (false, _) => rate,
            (true, true) => rate * WEEK * THURSDAY_SHARE,
            (true, false) => rate * WEEK * (1.0 - THURSDAY_SHARE) / (WEEK - 1.0),
        }
    }
}

/// The price of a listing, advanced day by day.
#[derive(Debug, Clone)]
pub(super) struct Path<'a> {
    endings: &'a Endings,
    rates: Rates,
    draw: Draw,
    ending: u32,
    moves: bool,
    regular: u32,
    former: Option<u32>,
    depth: f64,
    /// Price and remaining days of the current promotion.
    promotion: Option<(u32, u16)>,
}

impl<'a> Path<'a> {
    /// Starts the price of a listing on the first day of the input.
    pub(super) fn of(offer: &Offer<'a>) -> Self {
        let rates = Rates::of(offer.retailer.regime);
        let mut draw = offer.draws(Stream::Price);
        let moves = draw.chance(rates.movers);
        let (endings, ending, regular) = (&offer.retailer.endings, offer.ending, offer.cents);
        let (depth, former) = (depth(&mut draw), None);
        let mut path = Self { endings, rates, draw, ending, moves, regular, former, depth, promotion: None };
        if moves && path.draw.chance(rates.promoted) {
            path.promote();
            if let Some((_, days)) = &mut path.promotion {
                *days = 1 + path.draw.below(usize::from(*days)) as u16;
            }
        }
        path
    }

    /// Price on the current day, in cents.
    pub(super) fn price(&self) -> u32 {
        self.promotion.map_or(self.regular, |(price, _)| price)
    }

    /// Price without promotion, in cents.
    pub(super) fn regular(&self) -> u32 {
        self.regular
    }

    /// True if the listing is on promotion on the current day.
    pub(super) fn is_promoted(&self) -> bool {
        self.promotion.is_some()
    }

    /// Advances to the next day.
    pub(super) fn step(&mut self, thursday: bool) {
        if !self.moves {
            return;
        }
        if let Some((_, days)) = &mut self.promotion {
            *days -= 1;
            if *days == 0 {
                self.promotion = None;
            }
            return;
        }
        let (begun, moved) =
            (self.rates.on(self.rates.begun, thursday), self.rates.on(self.rates.moved, thursday));
        let drawn = self.draw.unit();
        if drawn < begun {
            self.promote();
        } else if drawn < begun + moved {
            self.move_regular();
        }
    }

    fn promote(&mut self) {
        if !self.draw.chance(SAME_DEPTH_SHARE) {
            self.depth = depth(&mut self.draw);
        }
        let cents = f64::from(self.regular) * (1.0 - self.depth);
        let days = self.days();
        // Candidates for the promotion price: with the listing's price ending, with 9 as the last digit, or unrounded.
        let rounded = [nearest(cents, self.ending), (cents / 10.0) as u32 * 10 + 9, cents as u32];
        let low = f64::from(self.regular) * (1.0 - DEPTHS[1]);
        let fits = |price: &u32| *price < self.regular && f64::from(*price) >= low && *price > 0;
        self.promotion = rounded.into_iter().find(fits).map(|price| (price, days));
    }

    fn days(&mut self) -> u16 {
        let days = match self.draw.unit() {
            share if share < WEEK_SHARE => 7,
            share if share < WEEK_SHARE + FORTNIGHT_SHARE => 14,
            _ => ODD_DAYS[0] + self.draw.below(ODD_DAYS[1] - ODD_DAYS[0] + 1),
        };
        (days as f64 * self.rates.longer) as u16
    }

    fn move_regular(&mut self) {
        let before = self.regular;
        if let Some(former) = self.former.filter(|_| self.draw.chance(self.rates.back)) {
            self.regular = former;
        } else {
            let size = (self.rates.size * exp(MOVE_SIGMA * self.draw.normal())).min(MOVE_MAX);
            let up = self.draw.chance(UP_SHARE);
            if !self.draw.chance(SAME_ENDING_SHARE) {
                self.ending = self.endings.draw(&mut self.draw);
            }
            let cents = f64::from(before) * exp(if up { size } else { -size });
            self.regular = nearest(cents, self.ending);
            if self.regular == before {
                // Rounding to the ending cancelled the change, so the price changes by ten cents.
                self.regular = if up || before < 20 { before + 10 } else { before - 10 };
            }
        }
        self.former = Some(before);
    }
}

fn depth(draw: &mut Draw) -> f64 {
    (DEPTH * exp(DEPTH_SIGMA * draw.normal())).clamp(DEPTHS[0], DEPTHS[1])
}
