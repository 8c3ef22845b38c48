//! Exact fractions over i128, and the roundings of the law: everything is rounded once, at the very end.

use serde_json::{Value, json};
use std::cmp::Ordering;

/// A reduced fraction with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frac {
    pub n: i128,
    pub d: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Frac {
    pub const ZERO: Frac = Frac { n: 0, d: 1 };

    pub fn new(n: i128, d: i128) -> Frac {
        assert!(d != 0, "a fraction over nothing");
        let g = gcd(n, d).max(1) * d.signum();
        Frac { n: n / g, d: d / g }
    }

    pub fn int(n: impl Into<i128>) -> Frac {
        Frac { n: n.into(), d: 1 }
    }

    /// Halves the precision until a product fits; below 1e-17 relative, far under any rounding here.
    fn shrink(self) -> Frac {
        let mut f = self;
        while f.n.abs() >> 62 != 0 || f.d >> 62 != 0 {
            f = Frac { n: f.n >> 1, d: (f.d >> 1).max(1) };
        }
        f
    }

    pub fn mul(self, o: Frac) -> Frac {
        let (g1, g2) = (gcd(self.n, o.d).max(1), gcd(o.n, self.d).max(1));
        let (a, b, c, d) = (self.n / g1, self.d / g2, o.n / g2, o.d / g1);
        match (a.checked_mul(c), b.checked_mul(d)) {
            (Some(n), Some(d)) => Frac::new(n, d),
            _ => {
                let (x, y) = (Frac { n: a, d: b }.shrink(), Frac { n: c, d }.shrink());
                Frac::new(x.n * y.n, x.d * y.d)
            }
        }
    }

    pub fn div(self, o: Frac) -> Frac {
        self.mul(Frac::new(o.d, o.n))
    }

    pub fn add(self, o: Frac) -> Frac {
        let g = gcd(self.d, o.d).max(1);
        let wide = (|| {
            let n = self.n.checked_mul(o.d / g)?.checked_add(o.n.checked_mul(self.d / g)?)?;
            Some((n, self.d.checked_mul(o.d / g)?))
        })();
        if let Some((n, d)) = wide {
            return Frac::new(n, d);
        }
        let (x, y) = (self.shrink(), o.shrink());
        Frac::new((x.n * y.d) / 2 + (y.n * x.d) / 2, x.d * y.d / 2)
    }

    pub fn sub(self, o: Frac) -> Frac {
        self.add(Frac { n: -o.n, d: o.d })
    }

    pub fn times(self, k: i128) -> Frac {
        self.mul(Frac::int(k))
    }

    pub fn f64(self) -> f64 {
        self.n as f64 / self.d as f64
    }

    pub fn less(self, o: Frac) -> bool {
        self.order(o) == Ordering::Less
    }

    pub fn order(self, o: Frac) -> Ordering {
        self.sub(o).n.cmp(&0)
    }

    /// floor(x + 1/2).
    pub fn half_up(self) -> i128 {
        let x = self.add(Frac::new(1, 2));
        x.n.div_euclid(x.d)
    }

    pub fn half_away(self) -> i128 {
        if self.n < 0 { -Frac { n: -self.n, d: self.d }.half_up() } else { self.half_up() }
    }
}

pub fn mean(all: &[Frac]) -> Frac {
    let sum = all.iter().fold(Frac::ZERO, |a, b| a.add(*b));
    sum.div(Frac::int(all.len() as i128))
}

pub fn median(all: &[Frac]) -> Frac {
    let mut s = all.to_vec();
    s.sort_by(|a, b| a.order(*b));
    let n = s.len();
    if n % 2 == 1 { s[n / 2] } else { s[n / 2 - 1].add(s[n / 2]).div(Frac::int(2)) }
}

/// Cents as money.
pub fn money(cents: i64) -> Value {
    json!(cents as f64 / 100.0)
}

/// An average of cents: half up.
pub fn money_of(x: Frac) -> Value {
    json!(x.half_up() as f64 / 100.0)
}

/// A fraction as a percentage, 2 decimals, half away from zero.
pub fn pct_of(x: Frac) -> Value {
    json!(x.times(10_000).half_away() as f64 / 100.0)
}

/// A ratio, 4 decimals, half away from zero.
pub fn ratio_of(x: Frac) -> Value {
    json!(x.times(10_000).half_away() as f64 / 10_000.0)
}

/// What went through f64, to `places` decimals; on a rounding boundary either neighbour is accepted.
pub fn rounded(x: f64, places: i32) -> Value {
    let scale = 10f64.powi(places);
    let y = x * scale;
    let (down, up) = (y.floor() / scale, (y.floor() + 1.0) / scale);
    let frac = y - y.floor();
    if (frac - 0.5).abs() < 1e-6 {
        return json!({ "$any_of": [down, up] });
    }
    json!(if frac < 0.5 { down } else { up })
}

/// A mean of many unlike fractions, which i128 cannot hold: 2^-80 fixed point, ties taken as ties.
pub fn mean_pct_of(all: &[Frac]) -> Value {
    let scaled: i128 = all
        .iter()
        .map(|f| {
            let (whole, rest) = (f.n.div_euclid(f.d), f.n.rem_euclid(f.d));
            (whole << 80) + ((rest << 80) + f.d / 2) / f.d
        })
        .sum();
    let x = scaled as f64 / 2f64.powi(80) / all.len() as f64 * 10_000.0;
    let nearest_half = x.floor() + 0.5;
    let y = if (x - nearest_half).abs() < 1e-7 { nearest_half } else { x };
    let up = if y < 0.0 { -(-y + 0.5).floor() } else { (y + 0.5).floor() };
    json!(up / 100.0)
}

/// Hyndman–Fan type 7 over sorted values.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let h = (sorted.len() - 1) as f64 * p;
    let (lo, hi) = (h.floor() as usize, h.ceil() as usize);
    sorted[lo] + (h - h.floor()) * (sorted[hi] - sorted[lo])
}
