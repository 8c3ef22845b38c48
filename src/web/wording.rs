//! Amounts, days and figures as the words of a page.

use crate::query::json_text::JsonText;
use crate::types::{Country, Day};

/// The code of a country's currency; empty for a text that is not a country.
pub(super) fn currency(country: &str) -> &'static str {
    Country::read(country).map_or("", Country::currency)
}

/// An amount in dollars with two decimals and thousands separators.
pub(super) fn money(amount: f64) -> String {
    let text = format!("{:.2}", amount.abs());
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    format!("{}${}.{cents}", if amount < 0.0 { "−" } else { "" }, grouped(whole))
}

/// The amount at a path of an answer.
pub(super) fn price(answer: &JsonText, path: &str) -> Option<String> {
    answer.number(path).map(money)
}

/// A count with thousands separators.
pub(super) fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// A number of things: `1 product`, `4,094 products`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A share or an amount of change in percent, with two decimals. The blank before the sign does not break.
pub(super) fn percent(percent: f64) -> String {
    format!("{percent:.2}\u{a0}%")
}

/// A change in percent with its sign.
pub(super) fn change(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{}", percent(change.abs()))
}

/// A day in words; the text as it is where it does not begin with a day.
pub(super) fn day(text: &str) -> String {
    text.get(..10).and_then(Day::parse).map_or_else(|| text.to_owned(), Day::in_words)
}

/// A day in few words, for tables: `30 Oct 2026`.
pub(super) fn short_day(text: &str) -> String {
    let whole = day(text);
    match whole.split(' ').collect::<Vec<_>>()[..] {
        [day, month, year] => format!("{day} {} {year}", month.get(..3).unwrap_or(month)),
        _ => whole,
    }
}

/// Two periods, `2026-09` and `2026-10`: `from September to October 2026`. Periods other than months stay as they are.
pub(super) fn months(from: &str, to: &str) -> String {
    let month = |text: &str| {
        let first = Day::parse(&format!("{text}-01")).map(Day::in_words);
        first.and_then(|day| day.strip_prefix("1 ").map(str::to_owned)).unwrap_or_else(|| text.to_owned())
    };
    let (from, to) = (month(from), month(to));
    let year = to.rsplit(' ').next().unwrap_or_default();
    let from = from.strip_suffix(year).map_or(&*from, str::trim_end);
    format!("from {from} to {to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_days_are_words() {
        assert_eq!(
            [3.97, 1299.0, 1_234_567.5, -2.0].map(money),
            ["$3.97", "$1,299.00", "$1,234,567.50", "−$2.00"]
        );
        assert_eq!([0, 999, 4094].map(count), ["0", "999", "4,094"]);
        assert_eq!([1, 4094].map(|number| counted(number, "product")), ["1 product", "4,094 products"]);
        assert_eq!([0.03, -0.22, 0.0].map(change), ["+0.03\u{a0}%", "−0.22\u{a0}%", "+0.00\u{a0}%"]);
        assert_eq!(day("2026-10-30T00:00:00Z"), "30 October 2026");
        assert_eq!(["2026-13-01", "soon", ""].map(day), ["2026-13-01", "soon", ""]);
        assert_eq!(["2026-10-30T00:00:00Z", "soon"].map(short_day), ["30 Oct 2026", "soon"]);
        assert_eq!(months("2026-09", "2026-10"), "from September to October 2026");
        assert_eq!(months("2025-12", "2026-01"), "from December 2025 to January 2026");
        assert_eq!(months("2026-W30", "2026-W31"), "from 2026-W30 to 2026-W31");
    }
}
