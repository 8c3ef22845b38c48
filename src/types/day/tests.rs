//! Compares calendar arithmetic with jiff, and tests valid and invalid dates.

use proptest::prelude::*;

use super::*;

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

#[test]
fn constants_are_what_they_say() {
    assert_eq!(Day::MIN, day("0000-01-01"));
    assert_eq!(Day::MAX, day("9999-12-31"));
    assert_eq!(Day::OBSERVED_MIN, day("2000-01-01"));
    assert_eq!(Day::OBSERVED_MAX, day("2100-12-31"));
    assert_eq!(day("1970-01-01").days(), 0);
}

#[test]
fn only_real_days_are_days() {
    for text in [
        "",
        "2026-1-1",
        "2026-13-01",
        "2026-00-10",
        "2026-02-29",
        "2100-02-29",
        "2026-04-31",
        "2026/01/01",
        "20260101",
        "2026-01-01 ",
        "+026-01-01",
        "2026-01-0a",
        "2026-01-01T00:00:00Z",
    ] {
        assert_eq!(Day::parse(text), None, "{text:?}");
    }
    assert_eq!(day("2024-02-29").ymd(), (2024, 2, 29));
    assert_eq!(day("2000-02-29").ymd(), (2000, 2, 29));
}

#[test]
fn firsts() {
    assert_eq!(day("2026-10-30").first_of_month(), day("2026-10-01"));
    assert_eq!(day("2026-03-31").first_of_previous_month(), day("2026-02-01"));
    assert_eq!(day("2026-01-01").first_of_previous_month(), day("2025-12-01"));
    assert_eq!(day("2026-01-31").first_of_next_month(), day("2026-02-01"));
    assert_eq!(day("2026-12-31").first_of_next_month(), day("2027-01-01"));
    assert_eq!(day("2026-12-31").first_of_quarter(), day("2026-10-01"));
    assert_eq!(day("2026-04-01").first_of_quarter(), day("2026-04-01"));
    assert_eq!(day("2026-03-31").first_of_quarter(), day("2026-01-01"));
}

#[test]
fn iso_weeks_at_the_turn_of_the_year() {
    assert_eq!(day("2027-01-01").iso_week(), (2026, 53));
    assert_eq!(day("2024-12-30").iso_week(), (2025, 1));
    assert_eq!(day("2026-10-05").iso_week(), (2026, 41));
    assert_eq!(day("2026-10-11").iso_week_monday(), day("2026-10-05"));
    assert_eq!(day("1969-12-31").iso_week_monday(), day("1969-12-29"));
}

#[test]
fn instants_resolve_their_offset() {
    let check = |text: &str, expect: &str| {
        assert_eq!(Instant::parse_rfc3339(text).map(|i| i.to_string()).as_deref(), Some(expect), "{text}");
    };
    check("2026-10-30T00:00:00Z", "2026-10-30T00:00:00Z");
    check("2026-10-30t01:02:03.250000z", "2026-10-30T01:02:03.25Z");
    check("2026-10-30 01:02:03.0000019+00:00", "2026-10-30T01:02:03.000001Z");
    check("2026-10-30T23:30:00-05:00", "2026-10-31T04:30:00Z");
    check("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z");
    check("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z");
    check("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z");
}

#[test]
fn rejects_malformed_instants() {
    for text in [
        "2026-10-30",
        "2026-10-30T00:00:00",
        "2026-10-30T00:00Z",
        "2026-10-30T24:00:00Z",
        "2026-10-30T00:60:00Z",
        "2026-10-30T00:00:61Z",
        "2026-10-30T00:00:00.Z",
        "2026-10-30T00:00:00+0100",
        "2026-10-30T00:00:00+24:00",
        "2026-10-30T00:00:00 01:00",
        "2026-02-30T00:00:00Z",
        "2026-10-30T00:00:00Zé",
        "2026-10-3éT00:00:00Z",
        "9999-12-31T23:59:59-01:00",
        "0000-01-01T00:00:00+01:00",
        "2026-10-30T00:00:00.5",
    ] {
        assert_eq!(Instant::parse_rfc3339(text), None, "{text:?}");
    }
}

#[test]
fn observations_are_dated_in_utc_and_in_this_age() {
    assert_eq!(parse_observed("2026-10-30"), Ok((day("2026-10-30"), day("2026-10-30").start())));
    assert_eq!(parse_observed("2100-12-31T23:00:00-02:00"), Err(DateError::OutOfRange));
    assert_eq!(parse_observed("1999-12-31T23:00:00-02:00").map(|(d, _)| d), Ok(day("2000-01-01")));
    assert_eq!(parse_observed("1999-12-31"), Err(DateError::OutOfRange));
    assert_eq!(parse_observed("2101-01-01"), Err(DateError::OutOfRange));
    assert_eq!(parse_observed("yesterday"), Err(DateError::Unparsable));
    assert_eq!(parse_observed("2026-10-30T10:00:00"), Err(DateError::Unparsable));
}

#[test]
fn arithmetic_stops_at_the_ends() {
    assert_eq!(Day::MAX.plus_days(i32::MAX), Day::MAX);
    assert_eq!(Day::MIN.plus_days(-1), Day::MIN);
    assert_eq!(Instant::from_micros(i64::MAX).day(), Day::MAX);
    assert_eq!(Instant::from_micros(i64::MIN).day(), Day::MIN);
    assert_eq!(Day::MIN.iso_week_monday(), Day::MIN);
}

proptest! {
    #[test]
    fn agrees_with_jiff(days in Day::MIN.days() + 366..=Day::MAX.days()) {
        let ours = Day::from_days(days);
        let theirs = jiff::civil::date(1970, 1, 1) + jiff::Span::new().days(days);
        let (year, month, of_month) = ours.ymd();
        prop_assert_eq!(year, i32::from(theirs.year()));
        prop_assert_eq!((month, of_month), (theirs.month() as u32, theirs.day() as u32));
        prop_assert_eq!(Day::from_ymd(year, month, of_month), Some(ours));
        prop_assert_eq!(ours.to_string(), theirs.to_string());
        prop_assert_eq!(Day::parse(&ours.to_string()), Some(ours));
        let week = theirs.iso_week_date();
        prop_assert_eq!(ours.iso_week(), (i32::from(week.year()), week.week() as u32));
        prop_assert_eq!(serde_json::to_string(&ours).unwrap(), format!("\"{ours}\""));
    }

    #[test]
    fn instants_round_trip(micros in -62_000_000_000_000_000_i64..250_000_000_000_000_000) {
        let instant = Instant::from_micros(micros);
        prop_assert_eq!(Instant::parse_rfc3339(&instant.to_string()), Some(instant));
        let theirs: jiff::Timestamp = instant.to_string().parse().unwrap();
        prop_assert_eq!(theirs.as_microsecond(), micros);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}") {
        let _ = parse_observed(&text);
    }
}
