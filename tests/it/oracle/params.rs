//! The query string, read strictly: every bad parameter is collected, not only the first.

use super::day;
use super::frac::Frac;
use std::collections::{BTreeMap, BTreeSet};

pub struct Params {
    values: BTreeMap<String, String>,
    pub bad: BTreeSet<String>,
}

/// Percent-decoding of a form; `None` where the bytes are no UTF-8.
fn decode(text: &str) -> Option<String> {
    let b = text.as_bytes();
    let hex = |x: Option<&u8>| x.and_then(|x| (*x as char).to_digit(16));
    let (mut out, mut i) = (Vec::new(), 0);
    while i < b.len() {
        match (b[i], hex(b.get(i + 1)), hex(b.get(i + 2))) {
            (b'+', ..) => out.push(b' '),
            (b'%', Some(hi), Some(lo)) => {
                out.push((hi * 16 + lo) as u8);
                i += 2;
            }
            (c, ..) => out.push(c),
        }
        i += 1;
    }
    String::from_utf8(out).ok()
}

impl Params {
    pub fn read(query: &str, allowed: &[&str]) -> Params {
        let mut p = Params { values: BTreeMap::new(), bad: BTreeSet::new() };
        for pair in query.split('&').filter(|x| !x.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).unwrap_or_else(|| name.to_string());
            if p.values.contains_key(&name) || !allowed.contains(&name.as_str()) {
                p.bad.insert(name.clone());
            }
            match decode(value) {
                Some(v) if !v.is_empty() => {
                    p.values.insert(name, v);
                }
                _ => {
                    p.bad.insert(name.clone());
                    p.values.insert(name, String::new());
                }
            }
        }
        p
    }

    pub fn given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A text that was given and is not bad.
    pub fn text(&self, name: &str) -> Option<String> {
        self.values.get(name).filter(|_| !self.bad.contains(name)).cloned()
    }

    pub fn blame(&mut self, name: &str) {
        self.bad.insert(name.to_string());
    }

    pub fn int(&mut self, name: &str, low: i64, high: i64) -> Option<i64> {
        let text = self.text(name)?;
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let padded = digits.len() > 1 && digits.starts_with('0');
        let strict = !digits.is_empty() && !padded && digits.bytes().all(|b| b.is_ascii_digit());
        match text.parse().ok().filter(|n| strict && (low..=high).contains(n)) {
            Some(n) => Some(n),
            None => {
                self.blame(name);
                None
            }
        }
    }

    /// How many items come before a page: any number of 64 bits.
    pub fn position(&mut self, name: &str) -> usize {
        let Some(text) = self.text(name) else { return 0 };
        let padded = text.len() > 1 && text.starts_with('0');
        let strict = !padded && text.bytes().all(|b| b.is_ascii_digit());
        match text.parse::<u64>().ok().filter(|_| strict) {
            Some(n) => n as usize,
            None => {
                self.blame(name);
                0
            }
        }
    }

    pub fn one_of(&mut self, name: &str, allowed: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name)?;
        let hit = allowed.iter().find(|a| **a == text).copied();
        if hit.is_none() {
            self.blame(name);
        }
        hit
    }

    pub fn int_of(&mut self, name: &str, allowed: &[i64]) -> Option<i64> {
        let n = self.int(name, i64::MIN, i64::MAX)?;
        if !allowed.contains(&n) {
            self.blame(name);
            return None;
        }
        Some(n)
    }

    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        self.one_of(name, &["true", "false"]).map(|v| v == "true")
    }

    /// A decimal from 0 to 1 with at most two decimals.
    pub fn fraction(&mut self, name: &str) {
        let Some(text) = self.text(name) else { return };
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, "0"));
        let is_plain = (1..=2).contains(&decimals.len()) && decimals.bytes().all(|b| b.is_ascii_digit());
        let is_in_range = whole == "0" || whole == "1" && decimals.bytes().all(|b| b == b'0');
        if !(is_plain && is_in_range) {
            self.blame(name);
        }
    }

    /// Us unless said otherwise.
    pub fn country(&mut self) -> &'static str {
        self.one_of("country", &["us", "ca"]).unwrap_or("us")
    }

    /// A platform key in lower case.
    pub fn platform(&mut self, name: &str) -> Option<String> {
        let key = self.text(name)?.to_lowercase();
        let form = key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
            && key.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !form {
            self.blame(name);
            return None;
        }
        Some(key)
    }

    /// A positive amount of money, in cents.
    pub fn amount(&mut self, name: &str) -> Option<Frac> {
        let text = self.text(name)?;
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value = super::forms::cents(&text).filter(|(c, above)| plain && *c > 0 && !above);
        if value.is_none() {
            self.blame(name);
        }
        value.map(|(c, _)| Frac::int(c))
    }

    fn date(&mut self, name: &str) -> Option<i64> {
        let moment = day::parse_moment(&self.text(name)?);
        if moment.is_none() {
            self.blame(name);
        }
        moment.map(|(secs, _)| secs.div_euclid(86_400))
    }

    /// The window asked for, anchored on `n`.
    pub fn window(&mut self, n: i64) -> Window {
        const PRESETS: [&str; 8] = [
            "last_30_days",
            "last_60_days",
            "last_90_days",
            "month_to_date",
            "previous_month",
            "month_over_month",
            "quarter_to_date",
            "custom",
        ];
        let preset = self.one_of("time_window", &PRESETS);
        let (from, to) = (self.date("from"), self.date("to"));
        let lookback = self.int("lookback_days", 1, 1100);
        if preset == Some("custom") {
            for name in ["from", "to"] {
                if !self.given(name) {
                    self.blame(name);
                }
            }
        }
        if from.is_some() || to.is_some() {
            let upto = to.unwrap_or(n);
            let since = from.unwrap_or(upto - 30);
            // A bound that custom misses is missing, not assumed.
            let half = preset == Some("custom") && !(self.given("from") && self.given("to"));
            if !half && (since >= upto || upto - since > 1100) {
                for name in ["from", "to"] {
                    if self.given(name) {
                        self.blame(name);
                    }
                }
            }
            return Window::plain("custom", since, upto);
        }
        if let Some(days) = lookback {
            return Window::plain("custom", n - days, n);
        }
        let month = day::month_start(n - 1);
        match preset.unwrap_or("last_30_days") {
            "last_60_days" => Window::plain("last_60_days", n - 60, n),
            "last_90_days" => Window::plain("last_90_days", n - 90, n),
            "month_to_date" => Window::plain("month_to_date", month, n),
            "previous_month" => Window::plain("previous_month", day::month_start(month - 1), month),
            "quarter_to_date" => Window::plain("quarter_to_date", day::quarter_start(n - 1), n),
            "month_over_month" => {
                let before = day::month_start(month - 1);
                let cut = month.min(before + (n - month));
                Window { preset: "month_over_month", from: month, to: n, before, until: cut }
            }
            _ => Window::plain("last_30_days", n - 30, n),
        }
    }
}

/// [from, to) and the window it is compared with, as day numbers.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub preset: &'static str,
    pub from: i64,
    pub to: i64,
    pub before: i64,
    pub until: i64,
}

impl Window {
    fn plain(preset: &'static str, from: i64, to: i64) -> Window {
        Window { preset, from, to, before: from - (to - from), until: from }
    }

    pub fn holds(&self, day: i64) -> bool {
        (self.from..self.to).contains(&day)
    }

    pub fn month_over_month(&self) -> bool {
        self.preset == "month_over_month"
    }

    /// With the comparison window where the two are one.
    pub fn spans(&self, day: i64) -> bool {
        self.holds(day) || self.month_over_month() && (self.before..self.until).contains(&day)
    }

    pub fn default_granularity(&self) -> &'static str {
        match self.to - self.from {
            ..=31 => "daily",
            32..=180 => "weekly",
            _ => "monthly",
        }
    }

    pub fn json(&self, granularity: &str) -> serde_json::Value {
        serde_json::json!({
            "preset": self.preset, "from": day::text(self.from), "to": day::text(self.to),
            "granularity": granularity, "comparison_from": day::text(self.before),
            "comparison_to": day::text(self.until), "timezone": "UTC",
        })
    }
}
