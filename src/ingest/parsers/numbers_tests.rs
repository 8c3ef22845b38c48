//! Numbers by hand, against a slow reading that tries every mark, and evidence in any grouping.

use proptest::prelude::*;

use super::{Ambiguity, NumberEvidence, NumberNotation};
use crate::types::{Cents, Country, PriceError};

use Country::{Ca, Us};
use NumberNotation::{Comma, Contract, Point};

fn plain(notation: NumberNotation, text: &str, country: Option<Country>) -> Option<String> {
    notation.plain(text, country).map(std::borrow::Cow::into_owned)
}

fn check(notation: NumberNotation, text: &str, country: Country, expected: Option<&str>) {
    assert_eq!(
        plain(notation, text, Some(country)).as_deref(),
        expected,
        "{text:?} as {notation:?} in {country}"
    );
}

#[test]
fn the_contracts_form_is_borrowed() {
    for text in ["4.99", " 5 ", "-1.2e3", "+.5", "5.", "0", "00012", "1E-3"] {
        for notation in [Contract, Point] {
            let plain = notation.plain(text, Some(Us));
            assert!(
                matches!(plain, Some(std::borrow::Cow::Borrowed(kept)) if kept == text.trim()),
                "{text:?}"
            );
        }
    }
    assert!(matches!(Comma.plain("1299", None), Some(std::borrow::Cow::Borrowed("1299"))));
    for text in ["", "$5", "1,299", "nan", "1 299", "5 CAD", "e5", "1e"] {
        check(Contract, text, Ca, None);
    }
}

#[test]
fn points_with_groups() {
    for (text, expected) in [
        ("1,299", "1299"),
        ("1,299.99", "1299.99"),
        ("12,345,678.9", "12345678.9"),
        ("1 299.99", "1299.99"),
        ("1\u{a0}299\u{202f}000", "1299000"),
        ("1\u{2009}299", "1299"),
        ("1'299.00", "1299.00"),
        ("1\u{2019}299'000", "1299000"),
        ("-1,299e2", "-1299e2"),
        ("1,299.", "1299."),
    ] {
        check(Point, text, Us, Some(expected));
    }
    for text in
        ["12,99", "1299,000", "1,29,999", "1,299 000", ",299", "1,", "1,299,00", "1  299", "1.299,5", "3,99"]
    {
        check(Point, text, Us, None);
    }
}

#[test]
fn commas_with_groups() {
    for (text, expected) in [
        ("3,99", "3.99"),
        ("1,299", "1.299"),
        ("1.299", "1299"),
        ("1.299,99", "1299.99"),
        ("1 299 000,5", "1299000.5"),
        ("1'299", "1299"),
        (",5", ".5"),
        ("5,", "5."),
        ("1,5e3", "1.5e3"),
        ("-0,005", "-0.005"),
    ] {
        check(Comma, text, Ca, Some(expected));
    }
    for text in ["3.99", "1,2,3", "1.2345", "1,299.5", "12.34,5", "1.299 000", "."] {
        check(Comma, text, Ca, None);
    }
}

#[test]
fn dollars_go() {
    for text in [
        "$3.99",
        "3.99$",
        "3.99 $",
        "$ 3.99",
        "USD 3.99",
        "3.99usd",
        "US$3.99",
        "$US 3.99",
        "us 3.99",
        "$3.99 USD",
    ] {
        check(Point, text, Us, Some("3.99"));
        assert_eq!(plain(Point, text, None).as_deref(), Some("3.99"), "{text:?}");
    }
    for text in
        ["C$3,99", "CA$ 3,99", "CAD$3,99", "3,99 $ CAD", "3,99 $", "3,99\u{a0}$", "3,99 $CA", "cad3,99"]
    {
        check(Comma, text, Ca, Some("3.99"));
    }
    for text in ["-$3.99", "$-3.99", "- $ 3.99", "-3.99 USD", "USD -3.99"] {
        check(Point, text, Us, Some("-3.99"));
    }
    check(Point, "+$1,299.50", Us, Some("1299.50"));
    for text in [
        "--3.99",
        "-$-3.99",
        "$$3.99",
        "3.99-",
        "about 3.99",
        "3.99 each",
        "$",
        "$.",
        "3.99 C",
        "N/A",
        "99¢",
        "#1",
    ] {
        check(Point, text, Us, None);
        assert!(!Point.names_other_currency(text, Some(Us)), "{text:?}");
    }
}

#[test]
fn other_currencies_are_told_from_no_numbers() {
    for text in [
        "€3.99",
        "3.99 EUR",
        "£ 3.99",
        "3.99eur",
        "A$3.99",
        "HK$ 3.99",
        "MXN$3.99",
        "€3.99 USD",
        "CAD 3.99 USD",
        "₹1,299",
    ] {
        for country in [Ca, Us] {
            check(Point, text, country, None);
            assert!(Point.names_other_currency(text, Some(country)), "{text:?} in {country}");
        }
        assert!(Point.names_other_currency(text, None) && plain(Point, text, None).is_none(), "{text:?}");
    }
    for (text, country) in [("CAD 3.99", Us), ("C$3.99", Us), ("US$3.99", Ca), ("3.99 us", Ca)] {
        assert!(Point.names_other_currency(text, Some(country)), "{text:?} in {country}");
        assert!(!Point.names_other_currency(text, None), "{text:?}");
    }
    // No numbers of that form, whatever stands beside them.
    assert!(!Comma.names_other_currency("€3.99", Some(Us)));
    assert!(!Contract.names_other_currency("€3.99", Some(Us)));
}

#[test]
fn settings_name_forms() {
    for notation in [Contract, Point, Comma] {
        assert_eq!(notation.setting().parse(), Ok(notation));
    }
    let error = "Comma".parse::<NumberNotation>().unwrap_err().to_string();
    assert!(error.starts_with("\"Comma\" is not a notation of numbers: write \"point\""), "{error}");
    assert_eq!(Comma.to_string(), "decimal comma");
}

fn evidence<'a>(texts: impl IntoIterator<Item = &'a str>) -> NumberEvidence {
    let mut evidence = NumberEvidence::default();
    texts.into_iter().zip(2..).for_each(|(text, line)| evidence.add(text, line));
    evidence
}

#[test]
fn most_values_decide() {
    let decide = |texts: &[&str]| evidence(texts.iter().copied()).decide();
    assert_eq!(decide(&[]), Ok(Contract));
    assert_eq!(decide(&["", " "]), Ok(Contract));
    assert_eq!(decide(&["n/a", "soon"]), Ok(Contract));
    assert_eq!(decide(&["4.99", "5", "n/a"]), Ok(Contract));
    assert_eq!(decide(&["4.99", "1,299"]), Ok(Point));
    assert_eq!(decide(&["1,299", "12,5"]), Ok(Comma));
    assert_eq!(decide(&["3,99", "3,50", "1.5"]), Ok(Comma));
    assert_eq!(decide(&["4.99", "12,5"]), Ok(Contract));
    assert_eq!(decide(&["$5", "1 000"]), Ok(Point));
    assert_eq!(decide(&["0,000", "1"]), Ok(Point));
    assert_eq!(decide(&["€4,99", "4,50 USD"]), Ok(Comma));
    assert!(evidence(["1", "2.5"]).is_contract() && !evidence(["1", "soon"]).is_contract());
}

#[test]
fn reports_ambiguous_numbers() {
    let ambiguity = evidence(["5", "1,299", "2,500"]).decide().unwrap_err();
    let readings = ["1299".to_owned(), "1.299".to_owned()];
    let settings = "decimal = \"point\" or \"comma\"".to_owned();
    assert_eq!(ambiguity, Ambiguity { line: 3, value: "1,299".to_owned(), readings, settings });
    assert_eq!(
        ambiguity.to_string(),
        "1,299 (line 3) is 1299 or 1.299, and no value of the file decides: set decimal = \"point\" or \"comma\" \
         (--map FILE, or [input] of --config)"
    );
    // Read by one and not by the other is read differently too.
    let ambiguity = evidence(["$4.99", "$4,50"]).decide().unwrap_err();
    assert_eq!((ambiguity.line, ambiguity.readings), (2, ["4.99".to_owned(), "not a number".to_owned()]));
    let long = format!("1,{}", "0".repeat(999));
    let mut evidence = evidence(["1,299"]);
    evidence.add(&long, 1);
    evidence.add("$1.5", 4);
    let quoted = evidence.decide().unwrap_err();
    assert!(quoted.line == 1 && quoted.value.len() == 200 && quoted.readings[1].len() == 200);
}

/// Takes `text` apart in every way there is.
fn naive(notation: NumberNotation, text: &str, country: Option<Country>) -> Option<(i128, i64)> {
    let ours = |country| match country {
        Ca => ["$", "ca", "cad", "ca$", "cad$", "c$", "$ca", "$cad", "$c"],
        Us => ["$", "us", "usd", "us$", "usd$", "us$", "$us", "$usd", "$us"],
    };
    for country in country.map_or(vec![Ca, Us], |country| vec![country]) {
        for before in ours(country).into_iter().chain([""]) {
            for behind in ours(country).into_iter().chain([""]) {
                for sign in ["", "+", "-"] {
                    for opening in [format!("{sign}{before}"), format!("{before}{sign}")] {
                        let squeezed = text.to_ascii_lowercase();
                        let body = squeeze(&squeezed, &opening, behind);
                        if let Some((digits, exponent)) = body.and_then(|body| naive_body(notation, body)) {
                            return Some((if sign == "-" { -digits } else { digits }, exponent));
                        }
                    }
                }
            }
        }
    }
    None
}

/// What is left of a text without these ends, blanks within them aside.
fn squeeze<'a>(text: &'a str, opening: &str, ending: &str) -> Option<&'a str> {
    let mut rest = text.trim();
    for letter in opening.chars() {
        rest = rest.trim_start().strip_prefix(letter)?;
    }
    for letter in ending.chars().rev() {
        rest = rest.trim_end().strip_suffix(letter)?;
    }
    Some(rest.trim())
}

/// Digits and the power of ten behind them.
fn naive_body(notation: NumberNotation, body: &str) -> Option<(i128, i64)> {
    let (mantissa, exponent) = match body.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
        None => (body, 0),
    };
    let (decimal, group) = if notation == Comma { (',', '.') } else { ('.', ',') };
    let (whole, decimals) = mantissa.split_once(decimal).unwrap_or((mantissa, ""));
    let kinds: [&[char]; 4] = [&[group], &[' '], &['\u{a0}', '\u{202f}', '\u{2009}'], &['\'', '\u{2019}']];
    let plain = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    let in_groups = kinds.iter().any(|kind| {
        let groups: Vec<&str> = whole.split(*kind).collect();
        groups.iter().all(|group| plain(group) && !group.is_empty() && group.len() <= 3)
            && groups[1..].iter().all(|group| group.len() == 3)
    });
    if !plain(decimals) || !(plain(whole) || (notation != Contract && in_groups)) {
        return None;
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).chain(decimals.chars()).collect();
    Some((digits.parse().ok()?, exponent - decimals.len() as i64))
}

/// Texts that are almost numbers.
fn texts() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![
        "", "", "", "$", "CA$", "C$", "US$", "usd", "CAD", "$ CAD", "-", "+", " ", "us ",
    ]);
    let digits = prop_oneof![4 => "[0-9]{3}", 2 => "[0-9]{1,2}", 1 => "[0-9]{0,4}"];
    let between = prop::sample::select(vec![
        ",", ",", ".", ".", " ", "\u{a0}", "\u{202f}", "'", "\u{2019}", "", "e", "e-",
    ]);
    let body = prop::collection::vec((digits, between), 1..4).prop_flat_map(|parts| {
        let text: String = parts.iter().flat_map(|(digits, between)| [digits, *between]).collect();
        "[0-9]{0,3}".prop_map(move |last| format!("{text}{last}"))
    });
    (mark.clone(), mark.clone(), body, mark.clone(), mark)
        .prop_map(|(a, b, body, c, d)| format!("{a}{b}{body}{c}{d}"))
}

fn countries() -> impl Strategy<Value = Option<Country>> {
    prop::sample::select(vec![None, Some(Ca), Some(Us)])
}

proptest! {
    #[test]
    fn the_contracts_form_is_what_prices_are_read_from(text in "[-+0-9.,eE $]{0,12}") {
        prop_assert_eq!(Contract.plain(&text, None).is_some(), Cents::parse(&text) != Err(PriceError::Unparsable));
    }

    #[test]
    fn agrees_with_the_contract_form_and_the_naive_reading(text in texts(), country in countries()) {
        for notation in [Point, Comma] {
            let plain = plain(notation, &text, country);
            let value = plain.as_deref().map(|plain| {
                prop_assert!(Contract.plain(plain, None).is_some(), "{:?} is {:?}", text, plain);
                let (negative, plain) = match plain.strip_prefix(['+', '-']) {
                    Some(rest) => (plain.starts_with('-'), rest),
                    None => (false, plain),
                };
                let (digits, exponent) = naive_body(Contract, &plain.to_ascii_lowercase()).unwrap();
                Ok((if negative { -digits } else { digits }, exponent))
            }).transpose()?;
            prop_assert_eq!(value, naive(notation, &text, country), "{:?} as {:?} in {:?}", text, notation, country);
        }
    }

    #[test]
    fn evidence_adds_up_in_any_grouping(texts in prop::collection::vec(texts(), 0..8), cuts in any::<[bool; 8]>()) {
        let mut parts = vec![NumberEvidence::default()];
        for ((text, line), cut) in texts.iter().zip(2..).zip(cuts) {
            parts.last_mut().unwrap().add(text, line);
            if cut {
                parts.push(NumberEvidence::default());
            }
        }
        // From the right and from the left.
        let sum = |parts: Vec<NumberEvidence>| parts.into_iter().reduce(|mut sum, later| { sum.merge(later); sum }).unwrap();
        let tail = sum(parts[1..].iter().cloned().chain([NumberEvidence::default()]).collect());
        let together = evidence(texts.iter().map(String::as_str));
        prop_assert_eq!(&sum(vec![parts[0].clone(), tail]), &together);
        prop_assert_eq!(&sum(parts), &together);
    }

    #[test]
    fn the_decision_is_that_of_a_count(texts in prop::collection::vec(texts(), 0..6)) {
        let counted = |notation: NumberNotation| {
            let reads = |text: &&String| notation.plain(text, None).is_some() || notation.names_other_currency(text, None);
            texts.iter().filter(reads).count()
        };
        let [contract, point, comma] = [Contract, Point, Comma].map(counted);
        let value = |notation: NumberNotation, text: &str| plain(notation, text, Some(Us)).or_else(|| plain(notation, text, Some(Ca)));
        let exact = |text: Option<String>| text.map(|text| {
            let text = text.to_ascii_lowercase();
            let (digits, exponent) = naive_body(Contract, text.trim_start_matches(['+', '-'])).unwrap();
            if digits == 0 { (0, 0) } else { (digits, exponent) }
        });
        // Two of different currencies name no country; what they read is told apart by whether they do.
        let differs = texts.iter().any(|text| {
            exact(value(Point, text)) != exact(value(Comma, text))
                || Point.names_other_currency(text, None) != Comma.names_other_currency(text, None)
        });
        match evidence(texts.iter().map(String::as_str)).decide() {
            Ok(Contract) => prop_assert!(contract >= point.max(comma)),
            Ok(Point) => prop_assert!(point > contract && (point > comma || (point == comma && !differs))),
            Ok(Comma) => prop_assert!(comma > contract && comma > point),
            Err(_) => prop_assert!(point == comma && point > contract),
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,24}") {
        for notation in [Contract, Point, Comma] {
            let _ = (notation.plain(&text, None), notation.names_other_currency(&text, Some(Us)));
        }
        let _ = evidence([text.as_str()]).decide();
    }
}
