//! Tests every preset at irregular ends of months, and invalid combinations of parameters.

use proptest::prelude::*;

use super::*;

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

fn args(preset: Option<Preset>, from: &str, to: &str, lookback_days: Option<u32>) -> WindowArgs {
    WindowArgs { time_window: preset, from: Day::parse(from), to: Day::parse(to), lookback_days }
}

fn check(args: WindowArgs, now: &str, preset: Preset, expected: [&str; 4]) {
    let window = Window::resolve(args, day(now)).unwrap();
    let days = [window.from(), window.to(), window.comparison_from(), window.comparison_to()];
    assert_eq!(window.preset(), preset, "{args:?}");
    assert_eq!(days, expected.map(day), "{args:?} at {now}");
}

fn check_preset(preset: Preset, now: &str, expected: [&str; 4]) {
    check(args(Some(preset), "", "", None), now, preset, expected);
}

fn blamed(args: WindowArgs) -> Vec<&'static str> {
    Window::resolve(args, day("2026-10-31")).unwrap_err().into_iter().map(|error| error.parameter).collect()
}

#[test]
fn presets() {
    let now = "2026-10-31";
    check_preset(Preset::Last30Days, now, ["2026-10-01", "2026-10-31", "2026-09-01", "2026-10-01"]);
    check_preset(Preset::Last60Days, now, ["2026-09-01", "2026-10-31", "2026-07-03", "2026-09-01"]);
    check_preset(Preset::Last90Days, now, ["2026-08-02", "2026-10-31", "2026-05-04", "2026-08-02"]);
    check_preset(Preset::MonthToDate, now, ["2026-10-01", "2026-10-31", "2026-09-01", "2026-10-01"]);
    check_preset(Preset::PreviousMonth, now, ["2026-09-01", "2026-10-01", "2026-08-02", "2026-09-01"]);
    check_preset(Preset::QuarterToDate, now, ["2026-10-01", "2026-10-31", "2026-09-01", "2026-10-01"]);
    check_preset(Preset::MonthOverMonth, now, ["2026-10-01", "2026-10-31", "2026-09-01", "2026-10-01"]);
}

#[test]
fn the_month_is_that_of_the_last_day_and_not_of_now() {
    let now = "2026-11-01";
    check_preset(Preset::MonthToDate, now, ["2026-10-01", "2026-11-01", "2026-08-31", "2026-10-01"]);
    check_preset(Preset::PreviousMonth, now, ["2026-09-01", "2026-10-01", "2026-08-02", "2026-09-01"]);
    check_preset(
        Preset::QuarterToDate,
        "2027-01-01",
        ["2026-10-01", "2027-01-01", "2026-07-01", "2026-10-01"],
    );
}

#[test]
fn month_over_month_is_cut_at_the_end_of_a_shorter_month() {
    check_preset(
        Preset::MonthOverMonth,
        "2026-04-01",
        ["2026-03-01", "2026-04-01", "2026-02-01", "2026-03-01"],
    );
    check_preset(
        Preset::MonthOverMonth,
        "2026-03-11",
        ["2026-03-01", "2026-03-11", "2026-02-01", "2026-02-11"],
    );
    check_preset(
        Preset::MonthOverMonth,
        "2026-01-02",
        ["2026-01-01", "2026-01-02", "2025-12-01", "2025-12-02"],
    );
}

#[test]
fn defaults_to_the_last_thirty_days() {
    let expected = ["2026-10-01", "2026-10-31", "2026-09-01", "2026-10-01"];
    check(WindowArgs::default(), "2026-10-31", Preset::Last30Days, expected);
}

#[test]
fn dates_win() {
    let (now, custom) = ("2026-10-31", Preset::Custom);
    let preset = Some(Preset::PreviousMonth);
    let both = ["2026-10-01", "2026-10-15", "2026-09-17", "2026-10-01"];
    check(args(None, "2026-10-01", "2026-10-15", None), now, custom, both);
    check(args(preset, "2026-10-01", "2026-10-15", Some(7)), now, custom, both);
    check(args(Some(custom), "2026-10-01", "2026-10-15", None), now, custom, both);
    let open = ["2026-10-21", "2026-10-31", "2026-10-11", "2026-10-21"];
    check(args(preset, "2026-10-21", "", Some(7)), now, custom, open);
    let end = ["2026-09-01", "2026-10-01", "2026-08-02", "2026-09-01"];
    check(args(None, "", "2026-10-01", None), now, custom, end);
    let future = ["2026-10-30", "2026-12-01", "2026-09-28", "2026-10-30"];
    check(args(None, "2026-10-30", "2026-12-01", None), now, custom, future);
}

#[test]
fn lookback_wins_over_the_preset() {
    let expected = ["2026-09-01", "2026-10-31", "2026-07-03", "2026-09-01"];
    for preset in [None, Some(Preset::Last90Days), Some(Preset::Custom)] {
        check(args(preset, "", "", Some(60)), "2026-10-31", Preset::Custom, expected);
    }
}

#[test]
fn errors_name_what_to_change() {
    let custom = Some(Preset::Custom);
    assert_eq!(blamed(args(custom, "", "", None)), ["from", "to"]);
    assert_eq!(blamed(args(custom, "2026-10-01", "", None)), ["to"]);
    assert_eq!(blamed(args(custom, "", "2026-10-01", Some(30))), ["from"]);
    assert_eq!(blamed(args(None, "2026-10-02", "2026-10-02", None)), ["from", "to"]);
    assert_eq!(blamed(args(None, "2026-10-31", "", None)), ["from"]);
    assert_eq!(blamed(args(None, "2020-01-01", "", None)), ["from"]);
    assert_eq!(blamed(args(None, "2020-01-01", "2026-10-01", None)), ["from", "to"]);
    assert_eq!(blamed(args(None, "", "", Some(0))), ["lookback_days"]);
    assert_eq!(blamed(args(None, "", "", Some(1101))), ["lookback_days"]);
    assert!(
        REASON_SPAN.contains(&SPAN_DAYS_MAX.to_string())
            && REASON_LOOKBACK.contains(&SPAN_DAYS_MAX.to_string())
    );
}

#[test]
fn bounds_are_days_or_instants_with_an_offset() {
    assert_eq!(parse_bound("2026-10-01"), Some(day("2026-10-01")));
    assert_eq!(parse_bound("2026-10-01T23:30:00-05:00"), Some(day("2026-10-02")));
    assert_eq!(parse_bound("2026-10-01T00:30:00+01:00"), Some(day("2026-09-30")));
    for text in ["2026-10-01T00:00:00", "", "last week", "2026-10-01 ", "2026-10"] {
        assert_eq!(parse_bound(text), None, "{text:?}");
    }
}

#[test]
fn names_round_trip() {
    for preset in Preset::ALL {
        assert_eq!(Preset::parse(preset.as_str()), Some(preset));
        assert_eq!(serde_json::to_string(&preset).unwrap(), format!("\"{preset}\""));
    }
    assert_eq!(Preset::parse("LAST_30_DAYS"), None);
}

proptest! {
    #[test]
    fn windows_are_never_empty_and_end_before_they_are_compared(
        now in 10_958..47_846,
        preset in proptest::sample::select(Preset::ALL.to_vec()),
        from in proptest::option::of(-1200..50),
        to in proptest::option::of(-1200..50),
        lookback_days in proptest::option::of(1..=1100_u32),
    ) {
        let now = Day::from_days(now);
        let args = WindowArgs {
            time_window: Some(preset),
            from: from.map(|days| now.plus_days(days)),
            to: to.map(|days| now.plus_days(days)),
            lookback_days,
        };
        match Window::resolve(args, now) {
            Ok(window) => {
                prop_assert!((1..=SPAN_DAYS_MAX).contains(&window.span_days()));
                prop_assert!(window.comparison_from() < window.comparison_to());
                prop_assert!(window.comparison_to() <= window.from());
                prop_assert!(window.from() < window.to());
            }
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }
}
