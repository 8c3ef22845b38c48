//! Where a record of separated values ends, when quotes may be anywhere.
//!
//! A field that opens with a quote runs to its closing quote, over line ends and doubled quotes. Real exports also
//! hold quotes that are only characters: in the middle of a field (`27" monitor`), behind a closing quote, or one
//! that opens a field and never closes. Those are read literally, and [`rewrite`] puts such a record into regular
//! form, because the reader behind it would swallow the lines up to the next quote. The search for a closing quote
//! ends after [`QUOTED_BYTES_MAX`]: a file that goes on behind them is refused ([`Record::unclosed`]).
//!
//! A [`Dialect`] is another way to write quotes: behind a backslash, or with blanks before the opening quote. A record
//! that uses it is not regular, so [`rewrite`] puts it into the contract's form too.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use super::column_kinds::{ColumnKinds, is_thousands};
use crate::ingest::limits::QUOTED_BYTES_MAX;
use crate::ingest::mapping::QuoteEscape;

/// The separator of a file and how its quotes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub separator: u8,
    /// How a quote within quotes is written.
    pub escape: QuoteEscape,
    /// Whether blanks may stand before an opening quote.
    pub padded: bool,
}

impl Dialect {
    /// The contract's way to write quotes.
    pub(super) const fn contract(separator: u8) -> Self {
        Self { separator, escape: QuoteEscape::Double, padded: false }
    }

    /// How quotes are written, where it is not the contract's way.
    pub(super) const fn quoting(self) -> Option<&'static str> {
        match (self.escape, self.padded) {
            (QuoteEscape::Double, false) => None,
            (QuoteEscape::Double, true) => Some("blanks before quotes"),
            (QuoteEscape::Backslash, false) => Some("backslash before quotes"),
            (QuoteEscape::Backslash, true) => Some("backslash and blanks before quotes"),
        }
    }

    /// Number of blanks before the quote that opens a padded field at the start of `bytes`.
    fn padding(self, bytes: &[u8]) -> usize {
        if !self.padded {
            return 0;
        }
        let is_blank = |&byte: &u8| matches!(byte, b' ' | b'\t') && byte != self.separator;
        let blanks = bytes.iter().take_while(|byte| is_blank(byte)).count();
        if bytes.get(blanks) == Some(&b'"') { blanks } else { 0 }
    }

    /// The text between quotes with its quotes doubled.
    fn doubled(self, quoted: &[u8]) -> Cow<'_, [u8]> {
        if self.escape == QuoteEscape::Double || memchr(b'\\', quoted).is_none() {
            return Cow::Borrowed(quoted);
        }
        let (mut text, mut rest) = (Vec::with_capacity(quoted.len()), quoted);
        while let Some(at) = memchr(b'\\', rest) {
            text.extend_from_slice(&rest[..at]);
            match rest.get(at + 1) {
                Some(b'"') => text.extend_from_slice(b"\"\""),
                Some(b'\\') => text.push(b'\\'),
                other => text.extend(std::iter::once(&b'\\').chain(other)),
            }
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }
}

/// A record at the start of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Length without the line end.
    pub len: usize,
    /// Where the next record starts.
    pub next: usize,
    /// Length of its first line without the line end.
    pub first_line: usize,
    /// Whether every quote in it is regular.
    pub regular: bool,
    /// Whether it holds any quote.
    pub quoted: bool,
    /// Whether a quoted field runs over line ends, and goes on behind its closing quote or holds whole records: most likely
    /// one quote never closes, and a later one was taken for its end.
    pub open_quote: bool,
    /// Number of its fields, where that is known without counting: of quoted records.
    pub fields: usize,
    /// Place of a quote that opens a field and does not close within [`QUOTED_BYTES_MAX`], though more bytes follow.
    pub unclosed: Option<usize>,
}

impl Record {
    /// Whether it ends with the line on which it starts.
    pub(super) const fn is_one_line(&self) -> bool {
        self.first_line == self.len
    }

    /// A record without quotes, which ends at the line feed, or with the bytes where no more will come.
    pub(super) fn unquoted(newline: Option<usize>, end: Option<usize>) -> Option<Self> {
        let len = newline.or(end)?;
        let next = newline.map_or(len, |at| at + 1);
        let (regular, quoted, open_quote) = (true, false, false);
        Some(Self { len, next, first_line: len, regular, quoted, open_quote, fields: 0, unclosed: None })
    }
}

/// One field of a record.
#[derive(Debug)]
struct Field<'a> {
    /// Between the quotes, as the dialect writes it.
    quoted: Option<&'a [u8]>,
    /// Whether it opens with a quote that does not close within the limit, though more bytes follow.
    unclosed: bool,
    /// Literal text behind the quotes; the whole of an unquoted field.
    tail: &'a [u8],
    /// Length with the quotes and the blanks before them.
    len: usize,
    /// Whether it is in the contract's form: a quote stands only around it or doubled in it.
    regular: bool,
}

/// The record that `bytes` start with; nothing when more bytes are needed to tell. `end`: no more will come.
pub(super) fn record(bytes: &[u8], end: bool, dialect: Dialect) -> Option<Record> {
    record_within(bytes, end, dialect, QUOTED_BYTES_MAX)
}

/// The record that bytes of whole records in the contract's form start with. Its values may be longer than where the
/// file was read: a rewritten value has its quotes doubled, and UTF-8 takes more bytes than other encodings.
pub(super) fn whole_record(bytes: &[u8], separator: u8) -> Option<Record> {
    record_within(bytes, true, Dialect::contract(separator), usize::MAX)
}

fn record_within(bytes: &[u8], end: bool, dialect: Dialect, quoted_max: usize) -> Option<Record> {
    let newline = memchr(b'\n', bytes);
    let line = newline.unwrap_or(bytes.len());
    if memchr(b'"', &bytes[..line]).is_none() {
        return Record::unquoted(newline, end.then_some(line));
    }
    let (mut at, mut regular, mut open_quote, mut fields, mut unclosed) = (0, true, false, 0, None);
    loop {
        let field = field(&bytes[at..], end, dialect, quoted_max)?;
        fields += 1;
        unclosed = unclosed.or(field.unclosed.then_some(at));
        regular &= field.regular;
        open_quote |= !field.tail.trim_ascii().is_empty()
            && field.quoted.is_some_and(|quoted| memchr(b'\n', quoted).is_some());
        at += field.len;
        match bytes.get(at) {
            Some(&byte) if byte == dialect.separator => at += 1,
            other => {
                let next = at + usize::from(other.is_some());
                let (first_line, quoted) = (line.min(at), true);
                return Some(Record {
                    len: at,
                    next,
                    first_line,
                    regular,
                    quoted,
                    open_quote,
                    fields,
                    unclosed,
                });
            }
        }
    }
}

/// The field that `bytes` start with; it ends at a separator, a line feed or the end of the bytes.
fn field(bytes: &[u8], end: bool, dialect: Dialect, quoted_max: usize) -> Option<Field<'_>> {
    let padding = dialect.padding(bytes);
    let inner = bytes[padding..].strip_prefix(b"\"");
    let (quoted, unclosed) = match inner.map(|inner| closing(inner, end, dialect.escape, quoted_max)) {
        None | Some(Closing::Nowhere) => (None, false),
        Some(Closing::At(len)) => (inner.map(|inner| &inner[..len]), false),
        Some(Closing::TooFar) => (None, true),
        Some(Closing::Unknown) => return None,
    };
    let tail_at = quoted.map_or(0, |quoted| padding + quoted.len() + 2);
    // Most values are short, and nothing follows the closing quote: a loop is faster than a search by vectors.
    let (mut stop, mut has_quote) = (None, false);
    for (at, &byte) in bytes[tail_at..].iter().enumerate() {
        if byte == dialect.separator || byte == b'\n' {
            stop = Some(at);
            break;
        }
        has_quote |= byte == b'"';
    }
    // More bytes would not close the quote.
    if stop.is_none() && !end && !unclosed {
        return None;
    }
    let len = stop.map_or(bytes.len(), |stop| tail_at + stop);
    let tail = &bytes[tail_at..len];
    if padding > 0 && quoted.is_some() && !tail.trim_ascii().is_empty() {
        return field(bytes, end, Dialect { padded: false, ..dialect }, quoted_max);
    }
    let regular = match quoted {
        // Nothing may stand behind a closing quote: the reader takes even a carriage return for text.
        Some(quoted) => tail.is_empty() && padding == 0 && !has_escape(quoted, dialect.escape),
        None => !has_quote,
    };
    Some(Field { quoted, unclosed, tail, len, regular })
}

/// Whether a text between quotes holds the backslash of an escape.
fn has_escape(quoted: &[u8], escape: QuoteEscape) -> bool {
    escape == QuoteEscape::Backslash && memchr(b'\\', quoted).is_some()
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

/// Where the quote is that closes the field whose opening quote stands before `bytes`. A doubled quote is a character
/// in both dialects.
fn closing(bytes: &[u8], end: bool, escape: QuoteEscape, max: usize) -> Closing {
    let mut at = 0;
    while at < max {
        let Some(rest) = bytes.get(at..bytes.len().min(max)) else { break };
        let found = match escape {
            QuoteEscape::Double => memchr(b'"', rest),
            QuoteEscape::Backslash => memchr2(b'"', b'\\', rest),
        };
        let Some(step) = found else { break };
        at += step;
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', _) | (_, Some(b'"')) => at += 2,
            (_, None) if !end => return Closing::Unknown,
            _ => return Closing::At(at),
        }
    }
    match bytes.len() > max {
        true => Closing::TooFar,
        false if end => Closing::Nowhere,
        false => Closing::Unknown,
    }
}

/// Appends `record` (without its line end) to `out` with every field quoted as the contract has it, and a line feed.
pub(super) fn rewrite(record: &[u8], dialect: Dialect, out: &mut Vec<u8>) {
    let mut fields = fields(record, dialect).peekable();
    while let Some(field) = fields.next() {
        let is_last = fields.peek().is_none();
        out.push(b'"');
        out.extend_from_slice(&dialect.doubled(field.quoted.unwrap_or_default()));
        let tail = if is_last { field.tail.strip_suffix(b"\r").unwrap_or(field.tail) } else { field.tail };
        for &byte in tail {
            out.push(byte);
            if byte == b'"' {
                out.push(b'"');
            }
        }
        out.push(b'"');
        if !is_last {
            out.push(dialect.separator);
        }
    }
    out.push(b'\n');
}

/// The fields of a whole record.
fn fields(record: &[u8], dialect: Dialect) -> impl Iterator<Item = Field<'_>> {
    let mut rest = Some(record);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let field = field(bytes, true, dialect, usize::MAX)?;
        rest = bytes.get(field.len + 1..);
        Some(field)
    })
}

/// The values of `record`, unquoted, as text.
pub(super) fn values(record: &[u8], dialect: Dialect) -> Vec<String> {
    let value = |field: Field<'_>| {
        let quoted = dialect.doubled(field.quoted.unwrap_or_default());
        let quoted = String::from_utf8_lossy(&quoted).replace("\"\"", "\"");
        let value = quoted + &String::from_utf8_lossy(field.tail);
        value.trim().to_owned()
    };
    fields(record, dialect).map(value).collect()
}

/// Number of the values of `record`.
pub(super) fn count(record: &[u8], dialect: Dialect) -> usize {
    fields(record, dialect).count()
}

/// How a record does not fit its header.
pub(super) struct Misfit {
    /// Number of its fields.
    pub fields: usize,
    /// Whether their number fits and their values do not.
    pub is_shifted: bool,
    /// The likely cause.
    pub cause: &'static str,
}

/// How a record does not fit a header of so many names, of which it needs at least `least`, with values of these kinds;
/// `None` where it fits.
pub(super) fn misfit(
    text: &[u8],
    record: &Record,
    dialect: Dialect,
    (names, least): (usize, usize),
    kinds: Option<&ColumnKinds>,
) -> Option<Misfit> {
    let fields = if record.quoted { record.fields } else { memchr_iter(dialect.separator, text).count() + 1 };
    let is_ragged =
        fields < least || fields > names && has_surplus(text, dialect, names) || record.open_quote;
    let values = || trimmed(text, dialect);
    let is_shifted = |kinds: &ColumnKinds| kinds.is_shifted(text, fields, dialect.separator, values);
    let is_shifted = !is_ragged && kinds.is_some_and(is_shifted);
    (is_ragged || is_shifted).then(|| Misfit {
        fields,
        is_shifted,
        cause: likely_cause(text, dialect, record, names),
    })
}

/// The values of a record as they are written between quotes or separators, without blanks around them.
pub(super) fn trimmed(record: &[u8], dialect: Dialect) -> Vec<&[u8]> {
    fields(record, dialect).map(|field| field.quoted.unwrap_or(field.tail).trim_ascii()).collect()
}

/// The likely cause why a record does not fit its header.
fn likely_cause(text: &[u8], dialect: Dialect, record: &Record, names: usize) -> &'static str {
    let separator = dialect.separator;
    // A record may hold millions of empty values.
    let fields: Vec<Field<'_>> = fields(text, dialect).take(names.saturating_add(1)).collect();
    let is_parted = |pair: &[Field<'_>]| is_thousands(pair[0].tail.trim_ascii(), pair[1].tail.trim_ascii());
    if dialect.escape == QuoteEscape::Double && memchr::memmem::find(text, b"\\\"").is_some() {
        "a quote after a backslash: set quote_escape = \"backslash\" in the mapping"
    } else if record.open_quote {
        "a stray quote"
    } else if separator == b',' && fields.windows(2).any(is_parted) {
        "a thousands separator in a number without quotes"
    } else if record.quoted && !record.regular {
        "a stray quote"
    } else if fields.len() < names {
        "values are missing"
    } else {
        "a separator in a value without quotes"
    }
}

/// Whether a quoted value of `record` holds whole lines, and each of them has as many values as the header has names: they
/// are records, and the quote before them is stray.
pub(super) fn holds_records(record: &[u8], dialect: Dialect, names: usize) -> bool {
    fields(record, dialect).filter_map(|field| field.quoted).any(|quoted| {
        let mut lines = quoted.split(|&byte| byte == b'\n').skip(1).peekable();
        let whole = std::iter::from_fn(|| lines.next().filter(|_| lines.peek().is_some()));
        let mut counts = whole.map(|line| count(line, dialect)).peekable();
        counts.peek().is_some() && counts.all(|count| count == names)
    })
}

/// Whether any value of `record` behind the first `names` says something. No value is copied: a record may hold
/// millions of empty ones.
fn has_surplus(record: &[u8], dialect: Dialect, names: usize) -> bool {
    let says = |text: &[u8]| !String::from_utf8_lossy(text).trim().is_empty();
    fields(record, dialect)
        .skip(names)
        .any(|field| says(field.quoted.unwrap_or_default()) || says(field.tail))
}

/// Whether a quote of `record` does not stand where the dialect puts quotes: before text, or before a field that is not
/// quoted. Quotes in the middle of a field without quotes are characters.
pub(super) fn has_stray_quote(record: &[u8], dialect: Dialect) -> bool {
    fields(record, dialect).any(|field| match field.quoted {
        Some(_) => !field.tail.trim_ascii().is_empty(),
        None => field.tail.trim_ascii_start().starts_with(b"\""),
    })
}

/// Whether a field of `record` goes on behind an escaped quote, in a way that no doubled quote explains: the next byte
/// neither parts fields nor ends the line.
pub(super) fn has_quote_in_field(record: &[u8], dialect: Dialect) -> bool {
    let goes_on = |quoted: &[u8]| {
        memchr::memmem::find_iter(quoted, b"\\\"").any(|at| {
            quoted.get(at + 2).is_none_or(|&byte| byte != dialect.separator && !matches!(byte, b'\r' | b'\n'))
        })
    };
    fields(record, dialect).filter_map(|field| field.quoted).any(goes_on)
}

#[cfg(test)]
#[path = "quoting_tests.rs"]
mod tests;
