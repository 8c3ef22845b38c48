//! One mistyped year must not make every price an old one.

use std::fs;
use std::path::Path;

use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, Report, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, Silent};

use crate::oracle;

const LISTINGS: &str = "country,platform,product_id,product_name,category_path\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price\n";

/// Builds `count` listings, observed on the last five days of October, and these rows of observations.
fn built(out: &Path, count: usize, more: &str) -> (Report, Catalog, String) {
    let input = tempfile::tempdir().unwrap();
    let (mut listings, mut observations) = (LISTINGS.to_owned(), OBSERVATIONS.to_owned());
    for item in 0..count {
        listings += &format!("us,shop,{item},Thing {item},Kitchen\n");
        for day in 27..32 {
            observations += &format!("us,shop,{item},2026-10-{day},{item}.50\n");
        }
    }
    fs::write(input.path().join("listings.csv"), listings).unwrap();
    fs::write(input.path().join("observations.csv"), observations + more).unwrap();
    let options = Options {
        arguments: Arguments::folders([input.path()]),
        out: out.to_owned(),
        max_rejects_pct: 5.0,
        linking: Linking::Off,
        ..Options::default()
    };
    let built = run(&options, &Silent).unwrap();
    let rejected = out.join("reports").join(&built.report.id).join("rejected.ndjson");
    let catalog = Catalog::open(&built.published.path()).unwrap();
    // The oracle reads the rule on its own.
    let raw = oracle::load::load(&[input.path().to_owned()]);
    assert_eq!(raw.rows_rejected as u64, built.report.input.rejected_rows);
    (built.report, catalog, fs::read_to_string(rejected).unwrap())
}

#[test]
fn a_row_of_2099_is_rejected_with_its_line_and_everything_goes_on_serving() {
    let out = tempfile::tempdir().unwrap();
    let (sound, catalog, _) = built(out.path(), 40, "");
    let rows = "us,shop,3,2099-10-30,0.01\nus,shop,9,2026-11-01,7\nus,shop,4,2099-10-31,free\n";
    let (report, believed, rejected) = built(out.path(), 40, rows);
    assert_eq!(sound.as_of, "2026-11-01");
    assert_eq!(
        (report.as_of.as_str(), believed.newest().to_string().as_str()),
        ("2026-11-02", "2026-11-01T00:00:00Z")
    );
    assert_eq!((believed.size().serving, believed.size().priced), (1, 40));
    assert_eq!((catalog.size().serving, catalog.size().priced), (1, 40));
    let lines: Vec<serde_json::Value> =
        rejected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{rejected}");
    assert_eq!((&lines[1]["line"], &lines[1]["reason"]), (&204.into(), &"unparsable_price".into()));
    assert_eq!((&lines[0]["line"], &lines[0]["reason"]), (&202.into(), &"date_far_ahead".into()));
    assert_eq!(lines[0]["value"], "2099-10-30");
    assert_eq!(report.input.files[1].rejected, 2);
    assert_eq!(report.input.observation_rows, 203);
    assert!(report.input.one_cent_prices.is_empty(), "a rejected row is no odd one");
}

#[test]
fn accepts_plausible_future_days_with_a_warning() {
    let out = tempfile::tempdir().unwrap();
    let (report, _, rejected) = built(out.path(), 40, "us,shop,3,2027-05-01,1\n");
    assert_eq!((report.as_of.as_str(), rejected.as_str()), ("2027-05-02", ""));
    let warned =
        report.input.distinct_warnings().iter().any(|warning| {
            warning.starts_with(
                "observations: rows dated more than 90 days after 2026-10-31, the last date of all other rows: 1. ",
            )
        });
    assert!(warned, "{:?}", report.input.warnings);
}

#[test]
fn few_rows_lose_none() {
    let out = tempfile::tempdir().unwrap();
    for count in [1, 5, 19] {
        let (report, _, rejected) = built(out.path(), count, "us,shop,0,2099-10-30,1\n");
        assert_eq!((report.as_of.as_str(), rejected.as_str()), ("2099-10-31", ""), "{count}");
    }
}

#[test]
fn latest_days_under_one_percent_are_reported_with_their_first_row() {
    let out = tempfile::tempdir().unwrap();
    let (report, ..) = built(out.path(), 40, "");
    assert_eq!(report.input.latest_days, [], "a fifth of the rows lies on each day");
    let rows = "us,shop,4,2026-12-24,9\nus,none,1,2026-11-20,3\nus,shop,3,2026-11-20,1\nus,shop,2,2026-11-20,1\n\
                us,shop,3,2026-11-20,1\nus,shop,3,2099-10-30,1\n";
    let (report, _, rejected) = built(out.path(), 120, rows);
    assert_eq!(rejected.lines().count(), 2, "a row without a listing and an absurd one");
    let days: Vec<_> = report.input.latest_days.iter().collect();
    let [christmas, november] = days[..] else { panic!("{days:?}") };
    assert_eq!((christmas.day.as_str(), christmas.observations, christmas.line), ("2026-12-24", 1, 602));
    assert_eq!((november.day.as_str(), november.observations, november.line), ("2026-11-20", 2, 604));
    assert!(christmas.file.ends_with("observations.csv"), "{christmas:?}");
    let (report, ..) = built(out.path(), 40, &rows.replace("2026-12-24", "2026-11-20"));
    assert_eq!(report.input.latest_days, [], "more than one row in a hundred");
}
