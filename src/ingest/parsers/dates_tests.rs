//! Dates by hand, against a slow reading by jiff, and evidence in any grouping.

use proptest::prelude::*;

use super::{Ambiguity, DateEvidence, DateNotation};
use crate::types::day::parse_observed;
use crate::types::{DateError, Day};

use DateNotation::{Contract, Dmy, Mdy, Serial, UnixMillis, UnixSeconds, Ymd};

fn plain(notation: &DateNotation, text: &str) -> Option<String> {
    notation.plain(text).map(std::borrow::Cow::into_owned)
}

fn check(notation: &DateNotation, text: &str, expected: Option<&str>) {
    let plain = plain(notation, text);
    assert_eq!(plain.as_deref(), expected, "{text:?} as {notation}");
    if let Some(plain) = plain {
        assert_ne!(parse_observed(&plain), Err(DateError::Unparsable), "{plain:?}");
    }
}

fn pattern(text: &str) -> DateNotation {
    text.parse().unwrap()
}

#[test]
fn every_form_reads_the_contracts_form() {
    let notations = [Contract, Ymd, Dmy, Mdy, UnixSeconds, UnixMillis, Serial, pattern("%d.%m.%y")];
    for notation in &notations {
        for text in ["2026-10-31", " 2026-02-01 ", "2026-10-31T22:30:00-04:00", "1999-01-01"] {
            let plain = notation.plain(text);
            assert!(
                matches!(plain, Some(std::borrow::Cow::Borrowed(kept)) if kept == text.trim()),
                "{text:?}"
            );
        }
        for text in ["", "2026-02-29", "soon", "2026-13-01", "31/02/2026", "2026"] {
            if !matches!(notation, UnixSeconds | UnixMillis | Serial) {
                check(notation, text, None);
            }
        }
    }
    check(&Contract, "2026/10/31", None);
    check(&Contract, "2026-10-31 12:30", None);
}

#[test]
fn year_month_day() {
    for text in ["2026/10/31", "2026.10.31", "20261031", "2026-10-31"] {
        check(&Ymd, text, Some("2026-10-31"));
    }
    for text in ["2026-1-5", "2026/01/5", "2026.1.05"] {
        check(&Ymd, text, Some("2026-01-05"));
    }
    check(&Ymd, "0001/01/01", Some("0001-01-01"));
    for text in [
        "2026 10 31",
        "2026-10/31",
        "26/10/31",
        "2026/02/30",
        "2026103",
        "202610311",
        "31/10/2026",
        "Oct 31, 2026",
    ] {
        check(&Ymd, text, None);
    }
}

#[test]
fn day_and_month_in_either_order() {
    for text in ["01/02/2026", "1-2-2026", "1.02.2026", "1 2 2026"] {
        check(&Dmy, text, Some("2026-02-01"));
        check(&Mdy, text, Some("2026-01-02"));
    }
    check(&Dmy, "31/10/2026", Some("2026-10-31"));
    check(&Mdy, "31/10/2026", None);
    check(&Mdy, "10/31/2026", Some("2026-10-31"));
    for text in ["1/2-2026", "2026/10/31", "001/2/2026", "1/2/20266", "1 / 2 / 2026"] {
        check(&Dmy, text, None);
        check(&Mdy, text, None);
    }
}

#[test]
fn months_by_name_need_no_order() {
    for text in [
        "Oct 31, 2026",
        "October 31 2026",
        "31-Oct-2026",
        "31 OCTOBER 2026",
        "31OCT2026",
        "2026-oct-31",
        "Saturday, October 31, 2026",
        "Sat, 31 Oct 2026",
        "31. Oct. 2026",
    ] {
        check(&Dmy, text, Some("2026-10-31"));
        check(&Mdy, text, Some("2026-10-31"));
    }
    check(&Dmy, "may 1, 2026", Some("2026-05-01"));
    for text in [
        "Octo 31, 2026",
        "Oct 32, 2026",
        "31 31 Oct",
        "Oct Oct 2026",
        "2026 Oct 2026",
        "Sat 31/10/2026",
        "Oct 2026",
    ] {
        check(&Dmy, text, None);
    }
}

#[test]
fn times_without_an_offset_are_utc() {
    for (text, expected) in [
        ("2026-10-31 12:30", "2026-10-31T12:30:00Z"),
        ("2026-10-31T12:30:15", "2026-10-31T12:30:15Z"),
        ("2026/10/31 9:05", "2026-10-31T09:05:00Z"),
        ("20261031 12:30:15.25", "2026-10-31T12:30:15.25Z"),
        ("2026/10/31 12:30:15.1234567", "2026-10-31T12:30:15.123456Z"),
        ("2026/10/31 12:30:15.5Z", "2026-10-31T12:30:15.5Z"),
        ("2026-10-31 23:30:00 -0500", "2026-11-01T04:30:00Z"),
        ("2026-10-31 00:30+05:30", "2026-10-30T19:00:00Z"),
        ("2026-10-31 12:30:00+00", "2026-10-31T12:30:00Z"),
        ("2026-10-31 12:30:00 UTC", "2026-10-31T12:30:00Z"),
        ("2026/12/31 23:59:60", "2026-12-31T23:59:59Z"),
    ] {
        check(&Ymd, text, Some(expected));
    }
    for (text, expected) in [
        ("10/31/2026, 12:30:00 PM", "2026-10-31T12:30:00Z"),
        ("10/31/2026 12:00 am", "2026-10-31T00:00:00Z"),
        ("10/31/2026 1:05\u{202f}PM", "2026-10-31T13:05:00Z"),
        ("10/31/2026 1:05pm +01:00", "2026-10-31T12:05:00Z"),
        ("Sat, 31 Oct 2026 10:00:00 GMT", "2026-10-31T10:00:00Z"),
        ("Oct 31, 2026, 1:00 PM", "2026-10-31T13:00:00Z"),
    ] {
        check(&Mdy, text, Some(expected));
    }
    for time in [
        "T",
        " 12",
        " 24:00",
        " 12:60",
        " 12:00:61",
        " 12:5",
        " 12:00:00.",
        " 0:30 PM",
        " 13:00 PM",
        " 12:00 EST",
        "x12:00",
        "12:00",
        " 12:00 +1",
        " 12:00+24:00",
        " 12:00 +0160",
        ",12:00",
        " 12:00 PM PM",
    ] {
        check(&Mdy, &format!("10/31/2026{time}"), None);
    }
    check(&Ymd, "9999/12/31 23:59 -01:00", None);
}

#[test]
fn seconds_and_milliseconds() {
    for (notation, text, expected) in [
        (UnixSeconds, "1793404800", "2026-10-31T00:00:00Z"),
        (UnixSeconds, "1793404800.25", "2026-10-31T00:00:00.25Z"),
        (UnixSeconds, "1.7934048e9", "2026-10-31T00:00:00Z"),
        (UnixSeconds, "0", "1970-01-01T00:00:00Z"),
        (UnixSeconds, "-0.5", "1969-12-31T23:59:59.5Z"),
        (UnixSeconds, "00.0000019", "1970-01-01T00:00:00.000001Z"),
        (UnixSeconds, "1e-99999999999999999999", "1970-01-01T00:00:00Z"),
        (UnixMillis, "1793404800123", "2026-10-31T00:00:00.123Z"),
        (UnixMillis, "1793404800123.5", "2026-10-31T00:00:00.1235Z"),
        (UnixMillis, "0e99999999999999999999", "1970-01-01T00:00:00Z"),
    ] {
        check(&notation, text, Some(expected));
    }
    for text in ["1e12", "1e99999999999999999999", "9223372036854775807", "31/10/2026", "", "now"] {
        check(&UnixSeconds, text, None);
    }
}

#[test]
fn patterns() {
    check(&pattern("%d.%m.%y"), "31.10.26", Some("2026-10-31"));
    check(&pattern("%d.%m.%y"), "31.13.26", None);
    check(&pattern("%Y%m%d%H%M"), "202610311230", Some("2026-10-31T12:30:00Z"));
    check(&pattern("%m/%d/%Y %I:%M %p"), "10/31/2026 1:05 PM", Some("2026-10-31T13:05:00Z"));
    check(
        &pattern("%d %B %Y %H:%M:%S%.f %z"),
        "31 October 2026 23:30:00.5 -0500",
        Some("2026-11-01T04:30:00.5Z"),
    );
    check(&pattern("%s"), "1793404800", Some("2026-10-31T00:00:00Z"));
    check(&pattern("%G-W%V-%u"), "2026-W44-6", Some("2026-10-31"));
    // What the pattern reads it reads, also where the contract reads something else.
    check(&pattern("%Y-%d-%m"), "2026-02-01", Some("2026-01-02"));
}

#[test]
fn settings_name_forms() {
    for notation in [Contract, Ymd, Dmy, Mdy, UnixSeconds, UnixMillis, Serial, pattern("%d.%m.%y")] {
        assert_eq!(notation.setting().parse(), Ok(notation.clone()));
    }
    assert_eq!(Dmy.to_string(), "day/month/year");
    assert_eq!(pattern("%d.%m.%y").to_string(), "pattern %d.%m.%y");
    for text in [
        "",
        "dmy",
        "DM",
        "%",
        "%d.%m",
        "%Y",
        "%!",
        "%c",
        "%H:%M",
        "%Y-%m-%d %I:%M",
        "%Y-%m-%d %H:%M %Q",
        "%Y-%m-%d %Z",
    ] {
        let error = text.parse::<DateNotation>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{text:?} is not a notation of dates: write \"DMY\"")), "{error}");
    }
}

fn evidence<'a>(texts: impl IntoIterator<Item = &'a str>) -> DateEvidence {
    let mut evidence = DateEvidence::default();
    texts.into_iter().zip(2..).for_each(|(text, line)| evidence.add(text, line));
    evidence
}

#[test]
fn most_values_decide() {
    let decide = |texts: &[&str]| evidence(texts.iter().copied()).decide();
    assert_eq!(decide(&[]), Ok(Contract));
    assert_eq!(decide(&["", "2026-10-31", "soon"]), Ok(Contract));
    assert_eq!(decide(&["2026-10-31", "31/10/2026"]), Ok(Dmy));
    assert_eq!(decide(&["01/02/2026", "10/31/2026"]), Ok(Mdy));
    assert_eq!(decide(&["01/02/2026", "31/10/2026", ""]), Ok(Dmy));
    assert_eq!(decide(&["01/01/2026", "02/02/2026"]), Ok(Dmy));
    assert_eq!(decide(&["Oct 31, 2026"]), Ok(Dmy));
    assert_eq!(decide(&["20261031", "2026-10-31 12:30"]), Ok(Ymd));
    assert_eq!(decide(&["31/02/2026", "1793404800"]), Ok(Contract));
    assert!(evidence(["2026-10-31", ""]).is_contract() && !evidence(["2026/10/31"]).is_contract());
}

#[test]
fn reports_ambiguous_dates() {
    let ambiguity = evidence(["01/02/2026", "03/04/2026"]).decide().unwrap_err();
    let readings = ["1 February".to_owned(), "2 January".to_owned()];
    let settings = "dates = \"DMY\" or \"MDY\"".to_owned();
    assert_eq!(ambiguity, Ambiguity { line: 2, value: "01/02/2026".to_owned(), readings, settings });
    assert_eq!(
        ambiguity.to_string(),
        "01/02/2026 (line 2) is 1 February or 2 January, and no value of the file decides: set dates = \"DMY\" or \"MDY\" \
         (--map FILE, or [input] of --config)"
    );
    let ambiguity = evidence(["01/01/2026", "31/10/2026", "10/31/2026"]).decide().unwrap_err();
    assert_eq!((ambiguity.line, ambiguity.readings), (3, ["31 October".to_owned(), "not a date".to_owned()]));
}

/// A day by splitting at each separator, and whether jiff knows it.
fn naive(notation: &DateNotation, text: &str) -> Option<String> {
    let jiffs = |year: &str, month: &str, day: &str| {
        let short = |part: &str| (1..=2).contains(&part.len());
        let digits = [year, month, day].concat().bytes().all(|byte| byte.is_ascii_digit());
        if !digits || year.len() != 4 || !short(month) || !short(day) {
            return None;
        }
        let date =
            jiff::civil::Date::new(year.parse().unwrap(), month.parse().unwrap(), day.parse().unwrap());
        date.ok().map(|date| date.to_string())
    };
    if *notation == Ymd && text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return jiffs(&text[..4], &text[4..6], &text[6..]);
    }
    ["-", "/", ".", " "].iter().find_map(|separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let &[a, b, c] = parts.as_slice() else { return None };
        match notation {
            Dmy => jiffs(c, b, a),
            Mdy => jiffs(c, a, b),
            _ if *separator == " " => None,
            _ => jiffs(a, b, c),
        }
        .or_else(|| {
            if *separator == "-" && (a.len(), b.len(), c.len()) == (4, 2, 2) { jiffs(a, b, c) } else { None }
        })
    })
}

/// Days, most of them real, in many forms.
fn texts() -> impl Strategy<Value = String> {
    let separator = || prop::sample::select(vec!["/", "/", "-", ".", " ", ""]);
    let part = || prop_oneof![6 => (1..=13_u32).prop_map(|n| format!("{n:02}")), 2 => "[0-3]?[0-9]", 1 => "[0-9]{1,3}"];
    let year = prop_oneof![8 => 2023..=2028_u32, 1 => 0..=9999_u32].prop_map(|year| format!("{year:04}"));
    (part(), part(), year, separator(), separator(), any::<bool>(), 0..5_u8).prop_map(
        |(a, b, year, one, other, year_first, mixed)| {
            let other = if mixed == 0 { other } else { one };
            if year_first { format!("{year}{one}{a}{other}{b}") } else { format!("{a}{one}{b}{other}{year}") }
        },
    )
}

proptest! {
    #[test]
    fn days_are_those_of_the_slow_reading(text in texts()) {
        for notation in [Ymd, Dmy, Mdy] {
            prop_assert_eq!(plain(&notation, &text), naive(&notation, &text), "{:?} as {}", text, notation);
        }
    }

    #[test]
    fn moments_are_jiffs(seconds in -62_000_000_000_i64..250_000_000_000, offset in -86_399_i32 / 60..86_399 / 60, half in any::<bool>()) {
        let offset = jiff::tz::Offset::from_seconds(offset * 60).unwrap();
        let moment = jiff::Timestamp::from_second(seconds).unwrap();
        let local = moment.to_zoned(jiff::tz::TimeZone::fixed(offset));
        prop_assume!((0..=9999).contains(&local.year()));
        let expected = Some(moment.to_string());
        prop_assert_eq!(plain(&Ymd, &local.strftime("%Y/%-m/%-d %-H:%M:%S %z").to_string()), expected.clone());
        let day = if half { "%-d-%b-%Y" } else { "%A, %B %-d, %Y" };
        let text = local.strftime(&format!("{day} %-I:%M:%S %p %:z")).to_string();
        prop_assert_eq!(plain(&Dmy, &text), expected.clone(), "{}", text);
        prop_assert_eq!(plain(&UnixSeconds, &seconds.to_string()), expected.clone());
        prop_assert_eq!(plain(&pattern("%d/%m/%Y %H:%M:%S %z"), &local.strftime("%d/%m/%Y %H:%M:%S %z").to_string()), expected);
    }

    #[test]
    fn evidence_adds_up_in_any_grouping(texts in prop::collection::vec(texts(), 0..8), cuts in any::<[bool; 8]>()) {
        let mut parts = vec![DateEvidence::default()];
        for ((text, line), cut) in texts.iter().zip(2..).zip(cuts) {
            parts.last_mut().unwrap().add(text, line);
            if cut {
                parts.push(DateEvidence::default());
            }
        }
        let sum = |parts: Vec<DateEvidence>| parts.into_iter().reduce(|mut sum, later| { sum.merge(later); sum }).unwrap();
        let tail = sum(parts[1..].iter().cloned().chain([DateEvidence::default()]).collect());
        let together = evidence(texts.iter().map(String::as_str));
        prop_assert_eq!(&sum(vec![parts[0].clone(), tail]), &together);
        prop_assert_eq!(&sum(parts), &together);
    }

    #[test]
    fn the_decision_is_that_of_a_count(texts in prop::collection::vec(texts(), 0..5)) {
        let readings = |notation: &DateNotation| texts.iter().map(|text| plain(notation, text)).collect::<Vec<_>>();
        let read = |notation: &DateNotation| readings(notation).iter().flatten().count();
        // Numbers are another form.
        prop_assume!(!texts.iter().any(|text| text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit())));
        let notations = [Ymd, Dmy, Mdy];
        let most = notations.iter().map(read).max().unwrap();
        let tied: Vec<&DateNotation> = notations.iter().filter(|notation| read(notation) == most).collect();
        let agree = tied.iter().all(|notation| readings(notation) == readings(tied[0]));
        let expected = match (read(&Contract) == most, agree) {
            (true, _) => Some(&Contract),
            (false, true) => Some(tied[0]),
            (false, false) => None,
        };
        let decided = evidence(texts.iter().map(String::as_str)).decide();
        prop_assert_eq!(decided.as_ref().ok(), expected);
        if let Err(ambiguity) = decided {
            let first = (0..texts.len()).find(|&at| tied.iter().any(|notation| readings(notation)[at] != readings(tied[0])[at]));
            prop_assert_eq!(Some(ambiguity.line), first.map(|at| at as u64 + 2));
        }
    }

    #[test]
    fn no_text_panics(text in "[-+0-9a-zA-Z/., :\u{e9}]{0,24}") {
        for notation in [Contract, Ymd, Dmy, Mdy, UnixSeconds, UnixMillis, Serial, pattern("%d.%m.%y %H:%M")] {
            if let Some(plain) = notation.plain(&text) {
                let day = parse_observed(&plain);
                prop_assert!(day != Err(DateError::Unparsable));
                prop_assert!(day.is_err() || day.is_ok_and(|(day, _)| day >= Day::OBSERVED_MIN));
            }
        }
        let _ = (evidence([text.as_str()]).decide(), text.parse::<DateNotation>());
    }
}
