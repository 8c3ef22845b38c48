//! Where a record of separated values ends, when quotes may be anywhere.
//!
//! A field that opens with a quote runs to its closing quote, over line ends and doubled quotes. Real exports also
//! hold quotes that are only characters: in the middle of a field (`27" monitor`), behind a closing quote, or one
//! that opens a field and never closes. Those are read literally, and [`rewrite`] puts such a record into regular
//! form, because the reader behind it would swallow the lines up to the next quote. The search for a closing quote
//! ends after [`QUOTED_BYTES_MAX`]: a file that goes on behind them is refused ([`Record::unclosed`]).

use memchr::{memchr, memchr2};

use crate::ingest::limits::QUOTED_BYTES_MAX;

/// A record at the start of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Length without the line end.
    pub len: usize,
    /// Where the next record starts.
    pub next: usize,
    /// Whether every quote in it is regular.
    pub regular: bool,
    /// Whether it holds any quote.
    pub quoted: bool,
    /// Whether a quoted field runs over line ends and goes on behind its closing quote: most likely one quote never
    /// closes, and the next one that opens was taken for its end.
    pub open_quote: bool,
    /// Number of its fields, where that is known without counting: of quoted records.
    pub fields: usize,
    /// Place of a quote that opens a field and does not close within [`QUOTED_BYTES_MAX`], though more bytes follow.
    pub unclosed: Option<usize>,
}

impl Record {
    /// A record without quotes, which ends at the line feed, or with the bytes where no more will come.
    pub(super) fn unquoted(newline: Option<usize>, end: Option<usize>) -> Option<Self> {
        let len = newline.or(end)?;
        let next = newline.map_or(len, |at| at + 1);
        let (regular, quoted, open_quote) = (true, false, false);
        Some(Self { len, next, regular, quoted, open_quote, fields: 0, unclosed: None })
    }
}

/// One field of a record.
#[derive(Debug)]
struct Field<'a> {
    /// Between the quotes, doubled quotes still doubled.
    quoted: Option<&'a [u8]>,
    /// Whether it opens with a quote that does not close within the limit, though more bytes follow.
    unclosed: bool,
    /// Literal text behind the quotes; the whole of an unquoted field.
    tail: &'a [u8],
    /// Length with the quotes.
    len: usize,
}

/// The record that `bytes` start with; nothing when more bytes are needed to tell. `end`: no more will come.
pub(super) fn record(bytes: &[u8], end: bool, separator: u8) -> Option<Record> {
    record_within(bytes, end, separator, QUOTED_BYTES_MAX)
}

/// The record that bytes of whole records start with. Its values may be longer than where the file was read: a rewritten
/// value has its quotes doubled, and UTF-8 takes more bytes than other encodings.
pub(super) fn whole_record(bytes: &[u8], separator: u8) -> Option<Record> {
    record_within(bytes, true, separator, usize::MAX)
}

fn record_within(bytes: &[u8], end: bool, separator: u8, quoted_max: usize) -> Option<Record> {
    let newline = memchr(b'\n', bytes);
    let line = newline.unwrap_or(bytes.len());
    if memchr(b'"', &bytes[..line]).is_none() {
        return Record::unquoted(newline, end.then_some(line));
    }
    let (mut at, mut regular, mut open_quote, mut fields, mut unclosed) = (0, true, false, 0, None);
    loop {
        let field = field(&bytes[at..], end, separator, quoted_max)?;
        fields += 1;
        unclosed = unclosed.or(field.unclosed.then_some(at));
        // Nothing may stand behind a closing quote: the reader takes even a carriage return for text.
        regular &= match field.quoted {
            Some(_) => field.tail.is_empty(),
            None => memchr(b'"', field.tail).is_none(),
        };
        open_quote |= field.quoted.is_some_and(|quoted| memchr(b'\n', quoted).is_some())
            && !field.tail.trim_ascii().is_empty();
        at += field.len;
        match bytes.get(at) {
            Some(&byte) if byte == separator => at += 1,
            other => {
                let next = at + usize::from(other.is_some());
                return Some(Record { len: at, next, regular, quoted: true, open_quote, fields, unclosed });
            }
        }
    }
}

/// The field that `bytes` start with; it ends at a separator, a line feed or the end of the bytes.
fn field(bytes: &[u8], end: bool, separator: u8, quoted_max: usize) -> Option<Field<'_>> {
    let (quoted, unclosed) = match bytes.strip_prefix(b"\"").map(|inner| closing(inner, end, quoted_max)) {
        None | Some(Closing::Nowhere) => (None, false),
        Some(Closing::At(len)) => (Some(len), false),
        Some(Closing::TooFar) => (None, true),
        Some(Closing::Unknown) => return None,
    };
    let tail_at = quoted.map_or(0, |len| len + 2);
    let stop = memchr2(separator, b'\n', &bytes[tail_at..]);
    // More bytes would not close the quote.
    if stop.is_none() && !end && !unclosed {
        return None;
    }
    let len = stop.map_or(bytes.len(), |stop| tail_at + stop);
    Some(Field { quoted: quoted.map(|len| &bytes[1..=len]), unclosed, tail: &bytes[tail_at..len], len })
}

/// Where a quoted field ends.
enum Closing {
    /// The closing quote is here.
    At(usize),
    /// The bytes end without one.
    Nowhere,
    /// The bytes up to the limit hold none, and more follow.
    TooFar,
    /// More bytes are needed to tell.
    Unknown,
}

/// Where the quote is that closes the field whose opening quote stands before `bytes`.
fn closing(bytes: &[u8], end: bool, max: usize) -> Closing {
    let mut at = 0;
    while at < max {
        let Some(step) = bytes.get(at..bytes.len().min(max)).and_then(|rest| memchr(b'"', rest)) else {
            break;
        };
        at += step;
        match bytes.get(at + 1) {
            Some(b'"') => at += 2,
            None if !end => return Closing::Unknown,
            _ => return Closing::At(at),
        }
    }
    match bytes.len() > max {
        true => Closing::TooFar,
        false if end => Closing::Nowhere,
        false => Closing::Unknown,
    }
}

/// Appends `record` (without its line end) to `out` with every field quoted, and a line feed.
pub(super) fn rewrite(record: &[u8], separator: u8, out: &mut Vec<u8>) {
    let mut fields = fields(record, separator).peekable();
    while let Some(field) = fields.next() {
        let is_last = fields.peek().is_none();
        out.push(b'"');
        out.extend_from_slice(field.quoted.unwrap_or_default());
        let tail = if is_last { field.tail.strip_suffix(b"\r").unwrap_or(field.tail) } else { field.tail };
        for &byte in tail {
            out.push(byte);
            if byte == b'"' {
                out.push(b'"');
            }
        }
        out.push(b'"');
        if !is_last {
            out.push(separator);
        }
    }
    out.push(b'\n');
}

/// The fields of a whole record.
fn fields(record: &[u8], separator: u8) -> impl Iterator<Item = Field<'_>> {
    let mut rest = Some(record);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let field = field(bytes, true, separator, usize::MAX)?;
        rest = bytes.get(field.len + 1..);
        Some(field)
    })
}

/// The values of `record`, unquoted, as text.
pub(super) fn values(record: &[u8], separator: u8) -> Vec<String> {
    let value = |field: Field<'_>| {
        let quoted = String::from_utf8_lossy(field.quoted.unwrap_or_default()).replace("\"\"", "\"");
        let value = quoted + &String::from_utf8_lossy(field.tail);
        value.trim().to_owned()
    };
    fields(record, separator).map(value).collect()
}

/// Number of the values of `record`.
pub(super) fn count(record: &[u8], separator: u8) -> usize {
    fields(record, separator).count()
}

/// The likely cause why a record does not fit its header.
pub(super) fn likely_cause(text: &[u8], separator: u8, record: &Record) -> &'static str {
    let fields: Vec<Field<'_>> = fields(text, separator).collect();
    let is_digits =
        |text: &[u8], most| (1..=most).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    // `1,299.00` is parted into `1` and `299.00`.
    let is_parted = |pair: &[Field<'_>]| {
        let (head, tail) = (pair[0].tail, pair[1].tail);
        is_digits(head, 3)
            && tail.get(..3).is_some_and(|digits| is_digits(digits, 3))
            && tail.get(3).is_none_or(|&byte| byte == b'.')
    };
    if memchr::memmem::find(text, b"\\\"").is_some() {
        "a quote behind a backslash"
    } else if record.open_quote {
        "a stray quote"
    } else if separator == b',' && fields.windows(2).any(is_parted) {
        "a thousands separator in a number without quotes"
    } else if record.quoted && !record.regular {
        "a stray quote"
    } else if fields.len() == 1 || memchr(separator, text).is_none() {
        "values are missing"
    } else {
        "a separator in a value without quotes"
    }
}

/// Whether any value of `record` behind the first `names` says something. No value is copied: a record may hold
/// millions of empty ones.
pub(super) fn has_surplus(record: &[u8], separator: u8, names: usize) -> bool {
    let says = |text: &[u8]| !String::from_utf8_lossy(text).trim().is_empty();
    fields(record, separator)
        .skip(names)
        .any(|field| says(field.quoted.unwrap_or_default()) || says(field.tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, len: usize, regular: bool, values_expected: &[&str]) {
        let record = record(text.as_bytes(), true, b',').unwrap();
        assert_eq!((record.len, record.regular), (len, regular), "{text}");
        assert_eq!(values(&text.as_bytes()[..record.len], b','), values_expected, "{text}");
        let mut out = Vec::new();
        rewrite(&text.as_bytes()[..record.len], b',', &mut out);
        let again = super::record(&out, true, b',').unwrap();
        assert!(again.regular, "{text}");
        assert_eq!(values(&out[..again.len], b','), values_expected, "{text}");
    }

    #[test]
    fn records_end_where_they_should() {
        check("a,b\nc", 3, true, &["a", "b"]);
        check("a,\"b\nc\",d\ne", 9, true, &["a", "b\nc", "d"]);
        check("a,\"b \"\"c\"\"\"\r\n", 12, false, &["a", "b \"c\""]);
        check("27\" monitor,x\ny", 13, false, &["27\" monitor", "x"]);
        check("\"a\" b,c\n", 7, false, &["a b", "c"]);
        check("\"never closed,c\nd,e\n", 15, false, &["\"never closed", "c"]);
        check("a,\"\"\n", 4, true, &["a", ""]);
        check("a,", 2, true, &["a", ""]);
    }

    #[test]
    fn quotes_that_swallow_lines_are_told() {
        let is_open = |text: &str| record(text.as_bytes(), true, b',').unwrap().open_quote;
        assert!(is_open("1,\"never closed,2\n3,\"never closed,4\n"));
        for text in
            ["1,\"two\nlines\",2\n", "1,\"one\" line,2\n", "1,\"two\nlines\" ,2\n", "1,\"never closed,2\n"]
        {
            assert!(!is_open(text), "{text}");
        }
    }

    #[test]
    fn more_bytes_are_asked_for() {
        for text in ["a,b", "a,\"b\nc", "a,\"b\"", "a,\"b\"\""] {
            assert_eq!(record(text.as_bytes(), false, b','), None, "{text}");
        }
    }

    /// The quote opens at place 2; a quote on the last line would close it.
    #[test]
    fn a_quote_that_closes_too_far_away_is_found_without_reading_on() {
        let text = |inner: usize, end: &str| format!("1,\"{}\n{end}", "x\n".repeat(inner / 2));
        let unclosed =
            |text: &str, end: bool| record(text.as_bytes(), end, b',').map(|record| record.unclosed);
        let near = QUOTED_BYTES_MAX - 4;
        assert_eq!(unclosed(&text(near, "\",2\n"), true), Some(None), "closed");
        assert_eq!(unclosed(&text(near, ""), true), Some(None), "the file ends within the limit");
        assert_eq!(unclosed(&text(near, ""), false), None, "more bytes are needed");
        let far = QUOTED_BYTES_MAX + 2;
        for end in ["\",2\n", ""] {
            for is_end in [true, false] {
                assert_eq!(unclosed(&text(far, end), is_end), Some(Some(2)), "{end:?} {is_end}");
            }
        }
        let doubled = format!("1,\"{}", "\"\"".repeat(QUOTED_BYTES_MAX));
        assert_eq!(unclosed(&doubled, false), Some(Some(2)), "no line ends either");
        assert_eq!(unclosed(&doubled[..QUOTED_BYTES_MAX], false), None);
    }

    #[test]
    fn surplus_values_are_found_without_copying_them() {
        for (text, names, is_surplus) in [
            ("a,b", 2, false),
            ("a,b,,", 2, false),
            ("a,b, ,\"\",\u{a0}", 2, false),
            ("a,b,c", 2, true),
            ("a,b,\"\"\"\"", 2, true),
            ("\"a,b\",c", 2, false),
            ("a,b,\"\" c", 2, true),
        ] {
            assert_eq!(has_surplus(text.as_bytes(), b',', names), is_surplus, "{text}");
            let values = values(text.as_bytes(), b',');
            assert_eq!(count(text.as_bytes(), b','), values.len(), "{text}");
            assert_eq!(values.iter().skip(names).any(|value| !value.is_empty()), is_surplus, "{text}");
        }
    }

    #[test]
    fn other_separators_part_fields() {
        let record = record(b"a;\"b;,\nc\";d,e\nf", true, b';').unwrap();
        assert_eq!((record.len, record.fields, record.regular), (13, 3, true));
        assert_eq!(values(b"a;\"b;,\nc\";d,e", b';'), ["a", "b;,\nc", "d,e"]);
        let mut out = Vec::new();
        rewrite(b"a\tb\"c", b'\t', &mut out);
        assert_eq!(out, b"\"a\"\t\"b\"\"c\"\n");
    }
}
