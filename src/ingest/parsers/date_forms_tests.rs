//! Forms of dates as programs and people write them, by the values of a file alone.

use super::{DateEvidence, DateNotation};
use crate::types::day::parse_observed;

fn evidence(texts: &[&str]) -> DateEvidence {
    let mut evidence = DateEvidence::default();
    texts.iter().zip(2..).for_each(|(text, line)| evidence.add(text, line));
    evidence
}

/// The first value of a file with these values, in the contract's form.
fn read(texts: &[&str]) -> Option<String> {
    let notation = evidence(texts).decide().unwrap_or_else(|ambiguity| panic!("{texts:?}: {ambiguity}"));
    let plain = notation.plain(texts[0])?.into_owned();
    parse_observed(&plain).unwrap_or_else(|error| panic!("{texts:?}: {plain}: {error}"));
    Some(plain)
}

/// Checks the message of values that can be read in several ways, and that each setting it names reads all values.
fn ambiguous(texts: &[&str], message: &str) {
    let ambiguity = evidence(texts).decide().unwrap_err();
    assert!(ambiguity.to_string().starts_with(message), "{ambiguity}");
    for setting in ambiguity.settings.split('"').skip(1).step_by(2) {
        let notation: DateNotation = setting.parse().unwrap();
        assert!(texts.iter().any(|text| notation.plain(text).is_some()), "{setting} of {texts:?}");
    }
}

#[test]
fn forms_that_one_value_decides() {
    let days = [
        "10/30/26",
        "10-30-26",
        "10.30.26",
        "30/10/26",
        "30.10.26",
        "30-Oct-26",
        "30 Oct 2026",
        "Oct 30, 2026",
        "Oct. 30, 26",
        "October 30 2026",
        "OCTOBER 30TH, 2026",
        "30 octobre 2026",
        "30 Octobre 26",
        "30-oct.-2026",
        "vendredi 30 octobre 2026",
        "ven. 30 oct. 2026",
        "Fri, 30 Oct 2026",
        "20261030",
        "46325",
    ];
    for text in days {
        assert_eq!(read(&[text]).as_deref(), Some("2026-10-30"), "{text}");
    }
    for text in [
        "Fri, 30 Oct 2026 04:05:06 GMT",
        "Fri, 30 Oct 2026 00:05:06 -0400",
        "Fri Oct 30 04:05:06 2026",
        "Fri Oct 30 04:05:06 UTC 2026",
        "Oct 30 04:05:06 2026",
        "30 octobre 2026 04:05:06",
        "30-Oct-26 4:05:06 AM",
        "10/30/26 04:05:06",
        "20261030T040506Z",
        "20261030T040506",
        "20261030T000506-0400",
        "1793333106",
        "1793333106000",
        "46325.170208333",
    ] {
        assert_eq!(read(&[text]).as_deref(), Some("2026-10-30T04:05:06Z"), "{text}");
    }
    for (text, expected) in [
        ("20261030T0405Z", "2026-10-30T04:05:00Z"),
        ("20261030T040506.25Z", "2026-10-30T04:05:06.25Z"),
        ("1793333106.5", "2026-10-30T04:05:06.5Z"),
        ("1793333106789", "2026-10-30T04:05:06.789Z"),
        ("46325.0", "2026-10-30"),
        ("46325.5", "2026-10-30T12:00:00Z"),
        ("36526", "2000-01-01"),
        ("73415", "2100-12-31"),
    ] {
        assert_eq!(read(&[text]).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn months_in_english_and_french() {
    let names = [
        ["January", "Jan.", "janvier", "janv."],
        ["February", "Feb", "février", "févr."],
        ["March", "Mar", "mars", "MARS"],
        ["April", "Apr", "avril", "avr."],
        ["May", "may", "mai", "Mai"],
        ["June", "Jun", "juin", "JUIN"],
        ["July", "Jul", "juillet", "juil."],
        ["August", "Aug", "août", "AOÛT"],
        ["September", "Sept.", "septembre", "sept."],
        ["October", "Oct", "octobre", "oct."],
        ["November", "Nov", "novembre", "nov."],
        ["December", "Dec", "décembre", "déc."],
    ];
    for (month, names) in (1..=12).zip(names) {
        for name in names {
            let expected = format!("2026-{month:02}-01");
            for text in [
                format!("1 {name} 2026"),
                format!("1er {name} 2026"),
                format!("{name} 1, 2026"),
                format!("mar. 1 {name} 2026"),
            ] {
                assert_eq!(read(&[&text]).as_ref(), Some(&expected), "{text}");
            }
        }
    }
    assert_eq!(read(&["1er aou\u{302}t 2026"]).as_deref(), Some("2026-08-01"));
    assert_eq!(read(&["Mar 3 2026"]).as_deref(), Some("2026-03-03"));
}

#[test]
fn other_values_decide_the_order_of_short_years() {
    assert_eq!(read(&["10/01/26", "10/30/26"]).as_deref(), Some("2026-10-01"));
    assert_eq!(read(&["10/01/26", "30/10/26"]).as_deref(), Some("2026-01-10"));
    assert_eq!(read(&["10-01-26", "10-30-26"]).as_deref(), Some("2026-10-01"));
    assert_eq!(read(&["10/01/26", "10/30/2026"]).as_deref(), Some("2026-10-01"));
    assert_eq!(read(&["26-10-05", "26-10-30", "32-10-30"]).as_deref(), Some("2026-10-05"));
}

#[test]
fn settings_of_the_message_read_the_values() {
    ambiguous(
        &["10/01/26", "10/02/26"],
        "10/01/26 (line 2) is 10 January or 1 October, and no value of the file decides: set dates = \"%d/%m/%y\" or \"%m/%d/%y\"",
    );
    ambiguous(
        &["1.2.26"],
        "1.2.26 (line 2) is 1 February or 2 January, and no value of the file decides: set dates = \"%d.%m.%y\" or \"%m.%d.%y\"",
    );
    // With a time, or with other forms beside, no pattern fits all values.
    ambiguous(
        &["10/01/26 12:30"],
        "10/01/26 12:30 (line 2) is 10 January or 1 October, and no value of the file decides: set dates = \"DMY\" or \"MDY\"",
    );
    ambiguous(
        &["10/01/26", "10/02/2026"],
        "10/01/26 (line 2) is 10 January or 1 October, and no value of the file decides: set dates = \"DMY\" or \"MDY\"",
    );
    ambiguous(
        &["26-10-30"],
        "26-10-30 (line 2) is 30 October 2026 or 26 October 2030, and no value of the file decides: set dates = \"%y-%m-%d\" or \"%d-%m-%y\"",
    );
    ambiguous(
        &["26-10-11"],
        "26-10-11 (line 2) is 11 October 2026 or 26 October 2011, and no value of the file decides: set dates = \"%y-%m-%d\" or \"%d-%m-%y\"",
    );
    ambiguous(
        &["10-11-12"],
        "10-11-12 (line 2) is 12 November 2010 or 10 November 2012, and no value of the file decides: set dates = \"%y-%m-%d\" or \"%d-%m-%y\" or \"%m-%d-%y\"",
    );
}

#[test]
fn numbers_are_dates_only_where_all_values_are() {
    for texts in [
        &["1793333106", "soon"][..],
        &["1793333106", "1793333106000"],
        &["1793333106", "46325"],
        &["46325", "4632"],
        &["36525"],
        &["73416"],
        &["946684799"],
        &["4133980800"],
        &["4133980800000"],
        &["46325."],
        &["-46325"],
        &["261030"],
        &["202610"],
    ] {
        assert_eq!(evidence(texts).decide(), Ok(DateNotation::Contract), "{texts:?}");
    }
    // Empty values say nothing, and the contract's form is read beside any other.
    assert_eq!(evidence(&["46325", "", "2026-10-31"]).decide(), Ok(DateNotation::Serial));
}

#[test]
fn settings_of_the_remedy_read_their_forms() {
    for (setting, text) in [
        ("%m/%d/%y", "10/30/26"),
        ("%m/%d/%y", "1/2/26"),
        ("%d/%m/%y", "30/10/26"),
        ("%y/%m/%d", "26/10/30"),
        ("%y%m%d", "261030"),
        ("unix_s", "1793333106"),
        ("unix_ms", "1793333106000"),
        ("serial", "46325"),
    ] {
        let notation: DateNotation = setting.parse().unwrap();
        assert!(notation.plain(text).is_some_and(|plain| plain.starts_with("2026-")), "{text} by {setting}");
    }
}

#[test]
fn finds_no_date_notation_in_other_words() {
    for text in [
        "30 Okt 2026",
        "Oct-26",
        "26 Oct",
        "Sat 30",
        "30 jui 2026",
        "Oct 30 04:05",
        "Oct 30 0405 2026",
        "10 30 26",
    ] {
        assert_eq!(evidence(&[text]).decide(), Ok(DateNotation::Contract), "{text}");
    }
}

#[test]
fn serials_by_setting() {
    let serial = |text: &str| DateNotation::Serial.plain(text).map(std::borrow::Cow::into_owned);
    assert_eq!(serial("61").as_deref(), Some("1900-03-01"));
    assert_eq!(serial("25569").as_deref(), Some("1970-01-01"));
    assert_eq!(serial("46325.9999999999").as_deref(), Some("2026-10-31"));
    for text in ["60", "0", "-1", "1e99", "3000000", "soon"] {
        assert_eq!(serial(text), None, "{text}");
    }
}
