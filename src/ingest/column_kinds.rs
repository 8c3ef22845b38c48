//! Records of separated values that fit their header by accident.
//!
//! A separator in a value without quotes moves all later values one column to the right. Where the record also lacks
//! its last value, the number of values is that of the header. Such a record is found by the kinds of values: one
//! stands in a column in which nearly all values are of another kind, and with two neighbouring values joined again
//! all values are of the kind of their columns.

/// Share of the values of a column that are of its kind, in percent. Among fewer, one other value is allowed.
const KIND_PCT_MIN: usize = 95;
/// Length of a date as the contract writes it.
const DATE_BYTES: usize = 10;
/// Values at the end of a record that are looked at before the whole record is.
const LAST_VALUES: usize = 4;
/// The ratio of two prices from which on the lower one is more likely the thousands of the other.
const PRICES_APART: f64 = 5.0;

/// Columns of a file, by their place in it, that show whether a record fits its header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct KnownColumns {
    /// Columns that need a value.
    pub required: Vec<usize>,
    /// Columns of numbers, dates, addresses or fixed words.
    pub typed: Vec<usize>,
    /// The column of prices.
    pub price: Option<usize>,
}

impl KnownColumns {
    /// Number of values up to the last column that needs one.
    pub(super) fn values_min(&self) -> usize {
        self.required.iter().max().map_or(0, |last| last + 1)
    }
}

/// The kinds of values in the columns of a file.
#[derive(Debug)]
pub(super) struct ColumnKinds {
    columns: KnownColumns,
    /// By place, of typed columns; nothing where values are of several kinds.
    kinds: Vec<Option<Kind>>,
    /// Whether nearly all prices have two decimals.
    has_cents: bool,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// 0 or 1, which a column of numbers may hold too.
    Flag,
    Number,
    Date,
    Address,
    Word,
}

/// A byte may stand in a number, in a date, in a word, in a number of digits and points alone.
const IN_NUMBER: u8 = 1;
const IN_DATE: u8 = 2;
const IN_WORD: u8 = 4;
const IN_DECIMAL: u8 = 8;
/// Where each byte may stand.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < classes.len() {
        let byte = at as u8;
        classes[at] = match byte {
            b'0'..=b'9' | b'.' => IN_NUMBER | IN_DATE | IN_DECIMAL,
            b',' | b'$' | b'+' => IN_NUMBER,
            b'/' | b':' => IN_DATE,
            b'-' => IN_NUMBER | IN_DATE | IN_WORD,
            b'T' | b'Z' => IN_DATE | IN_WORD,
            b'a'..=b'z' | b'A'..=b'Z' | b' ' | b'_' | 0x80.. => IN_WORD,
            _ => 0,
        };
        at += 1;
    }
    classes
};

impl Kind {
    const ALL: [Self; 5] = [Self::Flag, Self::Number, Self::Date, Self::Address, Self::Word];

    /// The kind of a trimmed value; `None` for the empty one and for mixed text.
    fn of(value: &[u8]) -> Option<Self> {
        let (&first, all) =
            (value.first()?, value.iter().fold(u8::MAX, |all, &byte| all & CLASSES[usize::from(byte)]));
        let parts = || value.iter().filter(|byte| matches!(byte, b'-' | b'/' | b':')).count();
        if matches!(value, b"0" | b"1") {
            Some(Self::Flag)
        } else if all & IN_DATE != 0 && first.is_ascii_digit() && parts() >= 2 {
            Some(Self::Date)
        } else if all & IN_NUMBER != 0 && value.iter().any(u8::is_ascii_digit) {
            Some(Self::Number)
        } else if value.starts_with(b"http://") || value.starts_with(b"https://") {
            Some(Self::Address)
        } else {
            (all & IN_WORD != 0).then_some(Self::Word)
        }
    }

    /// Whether a value is plainly of this kind, by the classes that all its bytes have. Nearly all values are.
    fn is_plain(self, value: &[u8], all: u8) -> bool {
        match self {
            Self::Number => all & IN_DECIMAL != 0,
            Self::Date => {
                all & IN_DATE != 0 && value.len() == DATE_BYTES && value[4] == b'-' && value[7] == b'-'
            }
            Self::Word => all & IN_WORD != 0 && all & IN_NUMBER == 0,
            Self::Flag => matches!(value, b"0" | b"1"),
            Self::Address => false,
        }
    }

    /// Whether a value of kind `kind` is valid in a column of this kind.
    fn has(self, kind: Self) -> bool {
        self == kind || self == Self::Number && kind == Self::Flag
    }
}

impl ColumnKinds {
    /// The kinds of so many columns by some records, whose values are trimmed.
    pub(super) fn new<'a>(
        columns: KnownColumns,
        width: usize,
        records: impl Iterator<Item = Vec<&'a [u8]>>,
    ) -> Self {
        let (mut filled, mut counts) = (vec![0; width], vec![[0; Kind::ALL.len()]; width]);
        let (mut prices, mut with_cents) = (0, 0);
        // A record that may be shifted by a price says nothing of the kinds behind it.
        let is_parted = |record: &Vec<&[u8]>| {
            let after = columns.price.and_then(|price| record.get(price..price + 2));
            after.is_some_and(|after| is_thousands(after[0], after[1]))
        };
        for record in records.filter(|record| !is_parted(record)) {
            for (at, value) in record.iter().enumerate().take(width) {
                filled[at] += usize::from(!value.is_empty());
                if let Some(kind) = Kind::of(value) {
                    counts[at][kind as usize] += 1;
                }
            }
            if let Some(price) =
                columns.price.and_then(|price| record.get(price)).filter(|text| !text.is_empty())
            {
                prices += 1;
                with_cents += usize::from(has_cents(price));
            }
        }
        let kind = |at: usize| {
            let count = |kind: Kind| {
                Kind::ALL.into_iter().filter(|of| kind.has(*of)).map(|of| counts[at][of as usize]).sum()
            };
            let is_kind = |kind: &Kind| is_nearly_all(count(*kind), filled[at]);
            Kind::ALL.into_iter().find(is_kind).filter(|_| columns.typed.contains(&at))
        };
        let kinds = (0..width).map(kind).collect();
        Self { columns, kinds, has_cents: is_nearly_all(with_cents, prices) }
    }

    /// Whether a record with as many values as there are names, or fewer, is shifted. `text` is the record without its
    /// line end, `fields` the number of its values, and `values` has them, trimmed.
    pub(super) fn is_shifted<'a>(
        &self,
        text: &[u8],
        fields: usize,
        separator: u8,
        values: impl FnOnce() -> Vec<&'a [u8]>,
    ) -> bool {
        if !self.looks_shifted(text, fields, separator) {
            return false;
        }
        let mut values = values();
        while values.last().is_some_and(|value| value.is_empty()) {
            values.pop();
        }
        (1..values.len().min(self.kinds.len())).any(|at| self.is_shifted_at(&values, at, separator))
    }

    /// Whether the last values of a record look as if it could be shifted. Nearly all records end here, so the bytes of
    /// these values are read once.
    fn looks_shifted(&self, text: &[u8], fields: usize, separator: u8) -> bool {
        let (mut rest, mut column) = (text.strip_suffix(b"\r").unwrap_or(text), fields);
        while let Some(before) = rest.strip_suffix(&[separator]) {
            (rest, column) = (before, column - 1);
        }
        for _ in 0..LAST_VALUES {
            let (mut at, mut all) = (rest.len(), u8::MAX);
            for &byte in rest.iter().rev().take_while(|&&byte| byte != separator) {
                at -= 1;
                all &= CLASSES[usize::from(byte)];
            }
            if at == 0 || column < 2 || rest[at..].trim_ascii_end().ends_with(b"\"") {
                return false;
            }
            let value = &rest[at..];
            (rest, column) = (&rest[..at - 1], column - 1);
            let is_plain = self.kind(column).is_none_or(|kind| value.is_empty() || kind.is_plain(value, all));
            if !is_plain && self.is_of_another_kind(column, value.trim_ascii()) {
                return true;
            }
            let is_behind_price = self.columns.price.is_some_and(|price| price + 1 == column);
            if is_behind_price && self.has_cents && separator == b',' {
                let before = last_value(rest, separator).trim_ascii();
                if is_thousands(before, value.trim_ascii()) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a value stands in a column of another kind. Words do not count: they are how exceptions are written.
    fn is_of_another_kind(&self, column: usize, value: &[u8]) -> bool {
        let is_other =
            |expected: Kind| Kind::of(value).is_some_and(|kind| kind != Kind::Word && !expected.has(kind));
        self.kind(column).is_some_and(is_other)
    }

    /// Whether a value is of the kind of a column.
    fn is_of_kind(&self, column: usize, value: &[u8]) -> bool {
        let kinds = self.kind(column).zip(Kind::of(value));
        kinds.is_some_and(|(expected, kind)| expected.has(kind))
    }

    fn kind(&self, column: usize) -> Option<Kind> {
        self.kinds.get(column).copied().flatten()
    }

    /// Whether all values are of the kind of their columns once the value at `at` is joined to the one before it, and
    /// they are not as they stand.
    fn is_shifted_at(&self, values: &[&[u8]], at: usize, separator: u8) -> bool {
        let (joined_at, joined) = (at - 1, [values[at - 1], values[at]].join(&separator));
        let mut restored = values.to_vec();
        restored.splice(joined_at..=at, [&joined[..]]);
        let is_number = self.kind(joined_at) == Some(Kind::Number)
            && separator == b','
            && is_thousands(values[joined_at], values[at]);
        let fits = |(column, value): (usize, &&[u8])| {
            let is_mended = if column == joined_at { is_number } else { value.is_empty() };
            is_mended || self.kind(column).is_none() || column != joined_at && self.is_of_kind(column, value)
        };
        let has = |column: &usize| restored.get(*column).is_some_and(|value| !value.is_empty());
        if !self.columns.required.iter().all(has) || !restored.iter().enumerate().all(fits) {
            return false;
        }
        // A value that stands well in its column, and would not in the one before, is not shifted.
        let stands = |column: usize| {
            self.is_of_kind(column, values[column]) && self.kind(column) != self.kind(column - 1)
        };
        if (at..values.len()).any(stands) {
            return false;
        }
        let is_other = |column: usize| self.is_of_another_kind(column, values[column]);
        let is_restored = |column: usize| is_other(column) && self.is_of_kind(column - 1, values[column]);
        is_number && (is_other(at) || self.is_lost_price(values, at))
            || (at + 1..values.len()).any(is_restored)
    }

    /// Whether the value before `at` is a price without decimals among prices with decimals, and the value at `at` is
    /// too high beside it.
    fn is_lost_price(&self, values: &[&[u8]], at: usize) -> bool {
        let number =
            |at: usize| std::str::from_utf8(values[at]).ok()?.trim_start_matches('$').parse::<f64>().ok();
        let is_far = || Some(number(at)? >= PRICES_APART * number(at - 1)?);
        self.has_cents
            && self.columns.price == Some(at - 1)
            && has_cents(values[at])
            && is_far() == Some(true)
    }
}

/// The last value of some bytes of a record.
fn last_value(text: &[u8], separator: u8) -> &[u8] {
    let before = text.iter().rposition(|&byte| byte == separator);
    &text[before.map_or(0, |at| at + 1)..]
}

/// Whether so many of `all` values are nearly all: `KIND_PCT_MIN` percent, or all but one of at least three.
fn is_nearly_all(count: usize, all: usize) -> bool {
    count > 0 && (100 * count >= KIND_PCT_MIN * all || count + 1 >= all && count > 1)
}

/// Whether a number has exactly two decimals.
fn has_cents(value: &[u8]) -> bool {
    matches!(value, [.., b'.', tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit())
}

/// Whether two values are a number with a thousands separator, parted there: `1` and `299.00` of `1,299.00`.
pub(super) fn is_thousands(head: &[u8], tail: &[u8]) -> bool {
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let head = head.strip_prefix(b"$").unwrap_or(head);
    (1..=3).contains(&head.len())
        && is_digits(head)
        && tail.get(..3).is_some_and(is_digits)
        && tail.get(3).is_none_or(|&byte| byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns: name, date, price, list price, stock, note.
    fn columns() -> KnownColumns {
        KnownColumns { required: vec![0, 1, 2], typed: vec![1, 2, 3, 4], price: Some(2) }
    }

    /// Whether the last of some records is shifted; all of them show the kinds.
    fn is_shifted(records: &[&'static str]) -> bool {
        fn values(record: &'static str) -> Vec<&'static [u8]> {
            record.split(',').map(|value| value.trim().as_bytes()).collect()
        }
        let kinds = ColumnKinds::new(columns(), 6, records.iter().copied().map(values));
        let last = *records.last().unwrap();
        let fields = last.split(',').count();
        kinds.is_shifted(last.as_bytes(), fields, b',', || values(last))
    }

    const MUG: &str = "Mug,2026-10-30,9.99,12.99,true";
    const CUP: &str = "Cup 7,2026-10-30,8.99,,false,new";

    #[test]
    fn a_record_is_shifted_where_a_value_is_of_another_kind_and_joining_mends_it() {
        for record in [
            "TV,2026-10-30,1,299.00,,",
            "TV,2026-10-30,1,299.00",
            "TV,2026-10-30,$1,299.00",
            "TV,2026-10-30,1,299.00,1499.00,true",
            "TV,2026-10-30,1,299,1499,true",
            "TV,2026-10-30,999.00,1,299.00",
            "TV,2026-10-30,999.00,1,299.00,true",
            "Jam, sour,2026-10-30,4.99",
            "Jam, sour,2026-10-30,4.99,5.99",
        ] {
            assert!(is_shifted(&[MUG, CUP, MUG, CUP, record]), "{record}");
        }
    }

    #[test]
    fn other_values_are_left_to_the_rules_of_their_columns() {
        for record in [
            MUG,
            "TV,2026-10-30,1,299.00,true",
            "TV,2026-10-30,250,299.00",
            "TV,2026-10-30,1",
            "TV,unknown,4.99,5.99,true",
            "TV,2026-10-30,see cart,5.99",
            "TV,2026-10-30,4.99,see cart",
            "TV,2026-10-30,4.99,5.99,12",
            "TV,2026-10-30,4.99,5.99,true,3M",
            "TV,2026-10-30,4.99,5.99,12,,,,,,,",
            "TV,4.99,2026-10-30",
            "TV",
            "",
        ] {
            assert!(!is_shifted(&[MUG, CUP, MUG, CUP, record]), "{record}");
        }
    }

    #[test]
    fn does_not_report_a_shift_when_preceding_values_fit() {
        let is_shifted = |columns: KnownColumns,
                          rows: [&'static [&'static str]; 4],
                          last: &'static [&'static str]| {
            let bytes = |row: &[&'static str]| row.iter().map(|value| value.as_bytes()).collect::<Vec<_>>();
            let rows = rows.into_iter().chain([last]).map(bytes);
            let kinds = ColumnKinds::new(columns, last.len(), rows);
            kinds.is_shifted(last.join(",").as_bytes(), last.len(), b',', || bytes(last))
        };
        let rated: &[&str] = &["us", "a", "1", "Mug", "4.5", "1"];
        let columns = KnownColumns { required: vec![0, 1, 2, 3], typed: vec![0, 4, 5], price: None };
        assert!(!is_shifted(columns, [rated; 4], &["us", "a", "9", "Pen", "4.7", "12"]));
        let stocked: &[&str] = &["us", "a", "1", "Mug", "4.50", "true"];
        let columns = KnownColumns { required: vec![0, 1, 2, 3, 4], typed: vec![0, 4, 5], price: Some(4) };
        assert!(!is_shifted(columns, [stocked; 4], &["us", "a", "9", "Pen", "4.70", "12"]));
    }

    #[test]
    fn quotes_hide_separators() {
        let values = |record: &'static str| record.split(';').map(str::as_bytes).collect::<Vec<_>>();
        let rows = ["Mug;1;9.99", "Cup;2;9.99", "Pen;3;9.99"];
        let columns = KnownColumns { required: vec![0, 1, 2], typed: vec![2], price: Some(2) };
        let kinds = ColumnKinds::new(columns, 3, rows.into_iter().map(values));
        assert!(!kinds.is_shifted(b"\"Desk, oak, 2 pcs\" ,17,9.99", 3, b',', || unreachable!()));
    }

    #[test]
    fn only_commas_part_thousands() {
        let values = |record: &'static str| record.split(';').map(str::as_bytes).collect::<Vec<_>>();
        let rows = ["Mug;9.99;12.99", "Cup;8.99;", "Pen;7.99;8.99", "TV;3;150.00"];
        let columns = KnownColumns { required: vec![0, 1], typed: vec![1, 2], price: Some(1) };
        let kinds = ColumnKinds::new(columns, 3, rows.into_iter().map(values));
        assert!(!kinds.is_shifted(b"TV;3;150.00", 3, b';', || values("TV;3;150.00")));
    }

    #[test]
    fn flags_are_numbers_of_their_own_kind() {
        let (flagged, shifted) = ("Mug,2026-10-30,9.99,12.99,1", "TV,2026-10-30,999.00,1,299.00");
        assert!(is_shifted(&[flagged, "Cup,2026-10-30,8.99,,0", flagged, shifted]));
        assert!(!is_shifted(&[flagged, flagged, flagged, "TV,2026-10-30,999.00,1299.00,12"]));
        assert!(!is_shifted(&[flagged, flagged, flagged, "Pen,2026-10-30,1,2.00,1"]));
    }

    #[test]
    fn only_nearly_all_values_of_a_column_show_its_kind() {
        let (shifted, other) = ("TV,2026-10-30,999,1,299", "Pen,2026-10-30,3,2,7");
        assert!(is_shifted(&[MUG, CUP, MUG, shifted]));
        let price = "TV,2026-10-30,1,299.00";
        assert!(is_shifted(&[MUG, price, CUP, price, price, price]));
        assert!(!is_shifted(&[MUG, other, CUP, other, shifted]));
        assert!(!is_shifted(&[MUG, shifted]));
    }

    #[test]
    fn kinds_of_values() {
        for (value, kind) in [
            ("1", Some(Kind::Flag)),
            ("4.99", Some(Kind::Number)),
            ("$1,299", Some(Kind::Number)),
            ("-1", Some(Kind::Number)),
            ("2026-10-30", Some(Kind::Date)),
            ("10/30/26", Some(Kind::Date)),
            ("2026-10-30T04:05:06Z", Some(Kind::Date)),
            ("true", Some(Kind::Word)),
            ("en stock", Some(Kind::Word)),
            ("\u{e9}puis\u{e9}", Some(Kind::Word)),
            ("https://x/1", Some(Kind::Address)),
            ("TV 55", None),
            ("", None),
        ] {
            assert_eq!(Kind::of(value.as_bytes()), kind, "{value}");
        }
    }
}
