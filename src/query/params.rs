//! Query parameters. They are declared once as constants and read strictly, and all faults are reported at once.
//!
//! A [`Param`] contains the name, the bounds and the description, which the reader, the error messages and the
//! OpenAPI document use. [`Reader`] collects faults instead of stopping at the first one. It also writes the
//! canonical query that identifies an answer: the given parameters in normal form, in the order in which an endpoint
//! reads them.

use std::borrow::Cow;
use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Serialize;

use crate::types::{Cents, Day};

/// One query parameter of an endpoint.
#[derive(Debug)]
pub struct Param {
    /// Name in the query string.
    pub name: &'static str,
    /// Type and bounds.
    pub kind: Kind,
    /// Meaning, for the OpenAPI document.
    pub about: &'static str,
}

/// Type and bounds of a parameter.
#[derive(Debug)]
pub enum Kind {
    /// Any text of at least one character.
    Text,
    /// A retailer platform key, in any case.
    PlatformKey,
    /// One of the listed words, case-sensitive. The second value is the default, if there is one.
    Word(&'static [&'static str], Option<&'static str>),
    /// A whole number within bounds, and the default if there is one.
    Integer {
        /// Smallest value.
        min: u32,
        /// Largest value.
        max: u32,
        /// Value when the parameter is absent.
        default: Option<u32>,
    },
    /// Number of items before a page: a 64-bit whole number, 0 if the parameter is absent.
    Position,
    /// One of the listed whole numbers. The second value is the default, if there is one.
    OneOf(&'static [u32], Option<u32>),
    /// `true` or `false`; `false` if the parameter is absent.
    Flag,
    /// A UTC day, or a date-time with an offset.
    Date,
    /// A positive amount of money with at most two decimals.
    Price,
    /// A number from 0 to 1 with at most two decimals. The value is the default in hundredths.
    Fraction(u8),
}

/// A parameter that cannot be accepted, as reported to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BadParameter {
    /// Name of the parameter, as the client sent it.
    pub parameter: String,
    /// Reason why the parameter is not accepted, or the parameters that a request must give.
    pub reason: String,
    /// Accepted values, if they can be listed. For an unknown parameter, the names of the parameters of the endpoint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub allowed: Vec<String>,
}

/// Reason reported for a required parameter that is absent.
pub const REQUIRED: &str = "is required";

impl BadParameter {
    /// Creates a fault without a list of accepted values.
    pub fn new(parameter: &str, reason: impl Into<String>) -> Self {
        Self { parameter: parameter.to_owned(), reason: reason.into(), allowed: Vec::new() }
    }
}

/// Maximum number of parameter names that are stored. Further names are only counted.
const NAMES_MAX: usize = 64;

/// Maximum number of unknown parameters that a refusal names.
const UNKNOWN_NAMED_MAX: usize = 8;

/// Maximum number of characters of an unknown parameter that a refusal repeats.
const UNKNOWN_CHARS_MAX: usize = 64;

struct GivenParameter<'q> {
    name: Cow<'q, str>,
    /// `None` if the value is not UTF-8.
    value: Option<Cow<'q, str>>,
    times: u32,
}

/// Reads the parameters of one request.
pub struct Reader<'q> {
    given: Vec<GivenParameter<'q>>,
    /// Number of parameters that are not in `given`, because their names came after the first [`NAMES_MAX`] names.
    unlisted: usize,
    known: Vec<&'static str>,
    bad: Vec<BadParameter>,
    /// Whether a value could not be read, so that the canonical query lacks it.
    unread: bool,
    canonical: String,
    as_of: Day,
}

/// Characters that are percent-encoded in a canonical query value: all except letters, digits, `-`, `_`, `.` and `~`.
pub const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl<'q> Reader<'q> {
    /// Splits a raw query string. `as_of` is the snapshot's now, from which windows are counted back.
    pub fn new(query: &'q str, as_of: Day) -> Self {
        let mut given: Vec<GivenParameter<'q>> = Vec::new();
        let mut unlisted = 0;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).unwrap_or(Cow::Borrowed(name));
            match given.iter().position(|known| known.name == name) {
                Some(at) => given[at].times += 1,
                None if given.len() == NAMES_MAX => unlisted += 1,
                None => given.push(GivenParameter { name, value: decode(value), times: 1 }),
            }
        }
        let (known, bad, canonical) = (Vec::new(), Vec::new(), String::new());
        Self { given, unlisted, known, bad, unread: false, canonical, as_of }
    }

    /// The snapshot's now: the day after its newest observation.
    pub fn as_of(&self) -> Day {
        self.as_of
    }

    /// Whether the client sent the parameter, well-formed or not.
    pub fn was_given(&self, param: &Param) -> bool {
        self.given.iter().any(|given| given.name == param.name)
    }

    /// Records a fault of a parameter. Further faults of the same parameter are ignored.
    pub fn reject(&mut self, fault: BadParameter) {
        if self.bad.iter().all(|known| known.parameter != fault.parameter) {
            self.bad.push(fault);
        }
    }

    /// The value of a text or platform-key parameter. A platform key is returned in lower case.
    pub fn text(&mut self, param: &'static Param) -> Option<String> {
        let value = self.value(param)?;
        let text = match param.kind {
            Kind::PlatformKey => {
                let Some(key) = crate::types::platform::normalize(&value) else {
                    return self.fault(param, "is not a retailer key: letters, digits, - and _ only");
                };
                key
            }
            _ => value.into_owned(),
        };
        self.record(param, &text);
        Some(text)
    }

    /// The value of a text parameter as parsed by `read`, which also returns its normal form. An error of `read` is
    /// recorded as the fault.
    pub fn text_as<T>(
        &mut self,
        param: &'static Param,
        read: impl FnOnce(&str) -> Result<(T, String), String>,
    ) -> Option<T> {
        let value = self.value(param)?;
        match read(&value) {
            Ok((parsed, normal)) => {
                self.record(param, &normal);
                Some(parsed)
            }
            Err(reason) => self.fault(param, &reason),
        }
    }

    /// The value of a required text or platform-key parameter. It is empty only if a fault was recorded.
    pub fn required_text(&mut self, param: &'static Param) -> String {
        let value = self.text(param);
        if !self.was_given(param) {
            self.reject(BadParameter::new(param.name, REQUIRED));
        }
        value.unwrap_or_default()
    }

    /// The value of a word parameter, parsed by `parse`, which must accept every listed word.
    pub fn word<T>(&mut self, param: &'static Param, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Kind::Word(_, default) = param.kind else { unreachable!("{} is not a word", param.name) };
        let Some(value) = self.value(param) else { return default.and_then(parse) };
        let parsed = parse(&value);
        if parsed.is_some() {
            self.record(param, &value);
        } else {
            let () = self.fault(param, "is not one of the allowed values").unwrap_or_default();
        }
        parsed
    }

    /// The value of a word parameter that has a default. `values` are in the order of its words. If a fault was
    /// recorded, the result is the value of the default.
    pub fn choice<T: Copy, const N: usize>(&mut self, param: &'static Param, values: [T; N]) -> T {
        let Kind::Word(words, Some(default)) = param.kind else {
            unreachable!("{} is not a word with a default", param.name)
        };
        debug_assert_eq!(words.len(), N, "{} has a value for each word", param.name);
        let value_of = |word: &str| {
            words.iter().zip(values).find_map(|(known, value)| (*known == word).then_some(value))
        };
        self.word(param, value_of).or_else(|| value_of(default)).unwrap_or(values[0])
    }

    /// The value of a whole-number parameter, or its default; `None` if it has neither.
    pub fn integer(&mut self, param: &'static Param) -> Option<u32> {
        let (Kind::Integer { default, .. } | Kind::OneOf(_, default)) = param.kind else {
            unreachable!("{} is not a number", param.name)
        };
        let Some(value) = self.value(param) else { return default };
        let parsed = whole_number(&value).and_then(|number| u32::try_from(number).ok());
        match (&param.kind, parsed) {
            (Kind::Integer { min, max, .. }, Some(number)) if (*min..=*max).contains(&number) => {
                self.record(param, &number.to_string());
                Some(number)
            }
            (Kind::OneOf(allowed, _), Some(number)) if allowed.contains(&number) => {
                self.record(param, &number.to_string());
                Some(number)
            }
            (Kind::Integer { min, max, .. }, _) => self
                .fault(param, &format!("must be a whole number from {min} to {max}, without leading zeros")),
            _ => self.fault(param, "is not one of the allowed values"),
        }
    }

    /// The value of a position parameter. A position beyond the last item is valid and gives an empty page.
    pub fn position(&mut self, param: &'static Param) -> u64 {
        let Some(value) = self.value(param) else { return 0 };
        let Some(number) = whole_number(&value) else {
            let reason = format!("must be a whole number from 0 to {}, without leading zeros", u64::MAX);
            return self.fault(param, &reason).unwrap_or_default();
        };
        self.record(param, &number.to_string());
        number
    }

    /// The value of a `true`/`false` parameter.
    pub fn flag(&mut self, param: &'static Param) -> bool {
        let is_set = self.aside(param);
        if is_set {
            self.record(param, "true");
        }
        is_set
    }

    /// The value of a `true`/`false` parameter that does not change the answer. The canonical query does not contain
    /// it.
    pub fn aside(&mut self, param: &'static Param) -> bool {
        match self.value(param).as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => self.fault(param, "must be true or false").unwrap_or_default(),
        }
    }

    /// The value of a date parameter.
    pub fn date(&mut self, param: &'static Param) -> Option<Day> {
        let value = self.value(param)?;
        match crate::types::window::parse_bound(&value) {
            Some(day) => {
                self.record(param, &day.to_string());
                Some(day)
            }
            None => self.fault(param, "must be a date (YYYY-MM-DD) or a date-time with its offset"),
        }
    }

    /// The value of a price parameter.
    pub fn price(&mut self, param: &'static Param) -> Option<Cents> {
        let value = self.value(param)?;
        match price(&value) {
            Some(cents) => {
                self.record(param, &cents.to_string());
                Some(cents)
            }
            None => self.fault(param, "must be an amount of money, such as 12.99"),
        }
    }

    /// The value of a fraction parameter in hundredths; `None` if it is absent.
    pub fn fraction(&mut self, param: &'static Param) -> Option<u8> {
        let value = self.value(param)?;
        match fraction(&value) {
            Some(hundredths) => {
                self.record(param, &format!("{}.{:02}", hundredths / 100, hundredths % 100));
                Some(hundredths)
            }
            None => self.fault(param, "must be a decimal from 0 to 1 with at most two decimals, such as 0.5"),
        }
    }

    /// Returns the canonical query.
    ///
    /// # Errors
    /// Returns an error for every bad parameter, including unknown parameters.
    pub fn finish(mut self) -> Result<String, Vec<BadParameter>> {
        let unknown: Vec<&str> = self
            .given
            .iter()
            .map(|given| given.name.as_ref())
            .filter(|name| !self.known.contains(name))
            .collect();
        let unnamed = unknown.len().saturating_sub(UNKNOWN_NAMED_MAX) + self.unlisted;
        for (at, name) in unknown.iter().take(UNKNOWN_NAMED_MAX).enumerate() {
            let is_last = at + 1 == unknown.len().min(UNKNOWN_NAMED_MAX);
            let reason = match unnamed {
                more @ 1.. if is_last => format!("is not a parameter of this endpoint, nor are {more} more"),
                _ => "is not a parameter of this endpoint".to_owned(),
            };
            let allowed = self.known.iter().map(ToString::to_string).collect();
            let parameter = name.chars().take(UNKNOWN_CHARS_MAX).collect();
            self.bad.push(BadParameter { parameter, reason, allowed });
        }
        if self.bad.is_empty() { Ok(self.canonical) } else { Err(self.bad) }
    }

    /// Returns the canonical query of a request that may be refused. Faults that depend on the snapshot or on another
    /// parameter are ignored. `None` if a value cannot be read or a parameter is unknown.
    pub fn normal_form(self) -> Option<String> {
        let is_known = |given: &GivenParameter<'_>| self.known.contains(&given.name.as_ref());
        (!self.unread && self.given.iter().all(is_known)).then_some(self.canonical)
    }

    /// Returns the raw value. A value that is given more than once, is not UTF-8 or is empty is recorded as a fault.
    fn value(&mut self, param: &'static Param) -> Option<Cow<'q, str>> {
        self.known.push(param.name);
        let at = self.given.iter().position(|given| given.name == param.name)?;
        if self.given[at].times > 1 {
            return self.fault(param, "is given more than once");
        }
        match self.given[at].value.clone() {
            None => self.fault(param, "is not valid UTF-8"),
            Some(value) if value.is_empty() => self.fault(param, "is empty"),
            Some(value) => Some(value),
        }
    }

    fn fault<T>(&mut self, param: &'static Param, reason: &str) -> Option<T> {
        self.unread = true;
        let mut fault = BadParameter::new(param.name, reason);
        fault.allowed = match param.kind {
            Kind::Word(words, _) => words.iter().map(ToString::to_string).collect(),
            Kind::OneOf(numbers, _) => numbers.iter().map(ToString::to_string).collect(),
            Kind::Flag => vec!["true".into(), "false".into()],
            _ => Vec::new(),
        };
        self.reject(fault);
        None
    }

    fn record(&mut self, param: &'static Param, value: &str) {
        let mark = if self.canonical.is_empty() { "" } else { "&" };
        let value = utf8_percent_encode(value, KEPT);
        // Writing into a String cannot fail.
        let _ = write!(self.canonical, "{mark}{}={value}", param.name);
    }
}

/// Parses a number in plain digits. A sign, blanks and leading zeros are rejected, so that every number has one
/// spelling.
fn whole_number(value: &str) -> Option<u64> {
    let is_plain =
        value.bytes().all(|byte| byte.is_ascii_digit()) && (value == "0" || !value.starts_with('0'));
    is_plain.then(|| value.parse().ok()).flatten()
}

/// Parses a price in plain digits. A third decimal is rejected, because it would have to be rounded.
fn price(value: &str) -> Option<Cents> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, "0"));
    let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_price = plain(whole) && plain(decimals) && decimals.len() <= 2;
    is_price.then(|| Cents::parse(value).ok()).flatten()
}

/// Parses a fraction from 0 to 1 in plain digits, in hundredths.
fn fraction(value: &str) -> Option<u8> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, "0"));
    let is_plain = matches!(whole, "0" | "1")
        && (1..=2).contains(&decimals.len())
        && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let hundredths: u8 = is_plain.then(|| format!("{whole}{decimals:0<2}").parse().ok()).flatten()?;
    (hundredths <= 100).then_some(hundredths)
}

/// Decodes `+` and percent escapes; `None` when the bytes are not UTF-8.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.bytes().any(|byte| byte == b'+' || byte == b'%') {
        return Some(Cow::Borrowed(raw));
    }
    let spaced = raw.replace('+', " ");
    percent_decode(spaced.as_bytes()).decode_utf8().ok().map(|text| Cow::Owned(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    static TEXT: Param = Param { name: "q", kind: Kind::Text, about: "" };
    static LIMIT: Param =
        Param { name: "limit", kind: Kind::Integer { min: 1, max: 50, default: Some(10) }, about: "" };
    static STRICT: Param = Param { name: "strict", kind: Kind::Flag, about: "" };

    fn read(query: &str) -> (Option<String>, Option<u32>, bool, Result<String, Vec<String>>) {
        let mut reader = Reader::new(query, Day::from_ymd(2026, 10, 31).expect("a day"));
        let values = (reader.text(&TEXT), reader.integer(&LIMIT), reader.flag(&STRICT));
        let end = reader.finish().map_err(|bad| bad.into_iter().map(|fault| fault.parameter).collect());
        (values.0, values.1, values.2, end)
    }

    #[test]
    fn reads_strictly() {
        assert_eq!(
            read("limit=5&q=a+b%26"),
            (Some("a b&".into()), Some(5), false, Ok("q=a%20b%26&limit=5".into()))
        );
        assert_eq!(read("strict=true").3, Ok("strict=true".into()));
        for (query, bad) in [
            ("limit=1e1", "limit"),
            ("limit=%2B5", "limit"),
            ("limit=+5", "limit"),
            ("limit=51", "limit"),
            ("limit=0", "limit"),
            ("limit=05", "limit"),
            ("limit=00", "limit"),
            ("limit=", "limit"),
            ("strict=TRUE", "strict"),
            ("q=a&q=b", "q"),
            ("q=%ff", "q"),
            ("q", "q"),
            ("limits=2", "limits"),
        ] {
            assert_eq!(read(query).3, Err(vec![bad.to_owned()]), "{query}");
        }
    }

    #[test]
    fn positions_have_no_bound_but_their_size() {
        static CURSOR: Param = Param { name: "cursor", kind: Kind::Position, about: "" };
        let read = |query: &str| {
            let mut reader = Reader::new(query, Day::from_ymd(2026, 10, 31).expect("a day"));
            (reader.position(&CURSOR), reader.finish())
        };
        assert_eq!(read(""), (0, Ok(String::new())));
        for number in [0, 1, 1 << 32, u64::MAX] {
            let query = format!("cursor={number}");
            assert_eq!(read(&query), (number, Ok(query.clone())));
        }
        for value in ["18446744073709551616", "-1", "01", "x", "1e3"] {
            let (position, end) = read(&format!("cursor={value}"));
            let reason = "must be a whole number from 0 to 18446744073709551615, without leading zeros";
            assert_eq!((position, end), (0, Err(vec![BadParameter::new("cursor", reason)])), "{value}");
        }
    }

    /// A fault that depends on the snapshot or on another parameter leaves the normal form intact. A request with a
    /// value that cannot be read does not have a normal form.
    #[test]
    fn a_refused_request_has_its_normal_form() {
        let named = |query: &str, refused: bool| {
            let mut reader = Reader::new(query, Day::from_ymd(2026, 10, 31).expect("a day"));
            let _ = (reader.text(&TEXT), reader.integer(&LIMIT), reader.flag(&STRICT));
            if refused {
                reader.reject(BadParameter::new("q", "is of another day"));
            }
            reader.normal_form()
        };
        for refused in [false, true] {
            assert_eq!(named("limit=5&q=a+b", refused).as_deref(), Some("q=a%20b&limit=5"));
            for query in ["limit=5&q=a+b&other=1", "limit=x&q=a+b", "q=a+b&q=a+b", "q=", "q=%ff", "strict=1"]
            {
                assert_eq!(named(query, refused), None, "{query}");
            }
        }
    }

    #[test]
    fn nonsense_is_answered_briefly() {
        let query: Vec<String> = (0..1_000).map(|number| format!("x{number}=")).collect();
        let reader = Reader::new(&query.join("&"), Day::from_ymd(2026, 10, 31).expect("a day")).finish();
        let bad = reader.expect_err("nothing is known");
        assert_eq!(bad.len(), UNKNOWN_NAMED_MAX);
        assert_eq!(bad[0].reason, "is not a parameter of this endpoint");
        assert_eq!(bad[7].reason, "is not a parameter of this endpoint, nor are 992 more");
    }

    #[test]
    fn a_number_is_written_in_one_way() {
        let numbers = ["0", "7", "10", "4294967296", "18446744073709551615"].map(whole_number);
        assert_eq!(numbers, [0, 7, 10, 1 << 32, u64::MAX].map(Some));
        for text in ["", "00", "07", "+7", "-7", " 7", "7 ", "1e1", "7.0", "٧", "18446744073709551616"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }

    #[test]
    fn prices_are_plain_amounts() {
        for (text, cents) in
            [("4", 400), ("9.9", 990), ("0.01", 1), ("007.50", 750), ("10000000", 1_000_000_000)]
        {
            assert_eq!(price(text).map(Cents::get), Some(cents), "{text}");
        }
        for text in
            ["0", "0.00", "-1", "+1", "1e1", "1.", ".5", "1.999", "1,5", "$1", " 1", "10000000.01", "nan"]
        {
            assert_eq!(price(text), None, "{text}");
        }
    }

    #[test]
    fn fractions_have_two_decimals() {
        for (text, hundredths) in
            [("0", 0), ("1", 100), ("0.5", 50), ("0.36", 36), ("1.00", 100), ("0.05", 5)]
        {
            assert_eq!(fraction(text), Some(hundredths), "{text}");
        }
        for text in
            ["", ".5", "0.", "1.01", "2", "-0.1", "0.123", "1e-1", "0,5", "00.5", "+0.5", " 0.5", "nan"]
        {
            assert_eq!(fraction(text), None, "{text}");
        }
    }

    #[test]
    fn reports_every_fault_at_once() {
        assert_eq!(
            read("q=&limit=x&strict=1&other=2").3,
            Err(vec!["q".into(), "limit".into(), "strict".into(), "other".into()])
        );
    }
}
