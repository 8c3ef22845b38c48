//! Price change leaders against a naive recomputation from the rows of small inputs, whose days are few and far between,
//! so that bands of days have to move.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::support::asking::{Service, build};
use pricebook::stats::rng::Rng;
use pricebook::types::Day;
use serde_json::{Value, json};

/// Inputs that are drawn.
const INPUTS: u64 = 24;
const LEADERS: &str = "/v1/analyst/price-change-leaders?category=jars";
/// Cents that lie on the limits of each other: 1 % apart, half, double, and just beyond.
const CENTS: [u64; 12] = [49, 50, 99, 100, 101, 102, 150, 198, 199, 200, 201, 202];

/// A listing: whether it is new, and its observations, days ascending.
struct Jar {
    is_new: bool,
    seen: Vec<(i32, u64)>,
}

/// What is compared of an answer; moves are (id, from, to, days of the base band, days of the recent band) of all leaders.
#[derive(Debug, PartialEq)]
struct Leaders {
    recent: (i32, i32),
    base: (i32, i32),
    shifted: i32,
    counts: [usize; 5],
    moves: BTreeSet<(usize, u64, u64, usize, usize)>,
}

fn date(day: i32) -> String {
    Day::from_ymd(2026, 1, 1).unwrap().plus_days(day).to_string()
}

fn write(dir: &Path, jars: &[Jar]) {
    let mut listings = "country,platform,product_id,product_name,category_path,condition\n".to_owned();
    let mut prices = "country,platform,product_id,date,price\n".to_owned();
    for (id, jar) in jars.iter().enumerate() {
        let (shop, condition) = (["alpha", "beta"][id % 2], if jar.is_new { "new" } else { "used" });
        writeln!(listings, "us,{shop},{id},Jar Number {id},Jars,{condition}").unwrap();
        for &(day, cents) in &jar.seen {
            writeln!(prices, "us,{shop},{id},{},{}.{:02}", date(day), cents / 100, cents % 100).unwrap();
        }
    }
    std::fs::write(dir.join("listings.csv"), listings).unwrap();
    std::fs::write(dir.join("observations.csv"), prices).unwrap();
}

fn service(jars: &[Jar]) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(input.path(), jars);
    Service::new(build(&[input.path().to_owned()], out.path()))
}

/// The answer by its definition, day by day.
fn naive(jars: &[Jar], win: i32, direction: &str) -> Leaders {
    let days = |jar: &Jar| jar.seen.iter().map(|&(day, _)| day).collect::<Vec<_>>();
    let newest = jars.iter().flat_map(days).max().unwrap();
    let seen: BTreeSet<i32> = jars.iter().filter(|jar| jar.is_new).flat_map(days).collect();
    let last = seen.last().copied().unwrap_or(newest);
    let (half, wanted) = ((win / 10).max(1), last - win);
    let near = |day: &&i32| (**day - wanted).abs();
    let middle = if seen.range(wanted - half..=wanted + half).next().is_some() {
        wanted
    } else {
        let reached = seen.iter().filter(|day| 2 * near(day) <= win);
        reached.min_by_key(|day| (near(day), **day)).copied().unwrap_or(wanted)
    };
    let (recent, base) = ((last - half, last), (middle - half, middle + half));
    let within = |jar: &Jar, (from, to): (i32, i32)| -> Vec<u64> {
        jar.seen.iter().filter(|(day, _)| (from..=to).contains(day)).map(|&(_, cents)| cents).collect()
    };
    let (mut counts, mut moves) = ([0; 5], BTreeSet::new());
    for (id, jar) in jars.iter().enumerate().filter(|(_, jar)| jar.is_new) {
        let (before, after) = (within(jar, base), within(jar, recent));
        let (Some(&from), Some(&to)) = (before.iter().min(), after.iter().min()) else { continue };
        let (rises, falls) = (100 * to > 101 * from, 100 * to < 99 * from);
        let is_error = to > 2 * from || 2 * to < from;
        let is_asked = (rises && direction != "down") || (falls && direction != "up");
        let hits = [true, rises, !rises && !falls, falls, is_error];
        counts.iter_mut().zip(hits).for_each(|(count, hit)| *count += usize::from(hit));
        if is_asked && !is_error {
            moves.insert((id, from, to, before.len(), after.len()));
        }
    }
    Leaders { recent, base, shifted: middle - wanted, counts, moves }
}

fn cents(price: &Value) -> u64 {
    (price.as_f64().unwrap() * 100.0).round() as u64
}

fn check(service: &Service, jars: &[Jar], win: i32, direction: &str) {
    let expect = naive(jars, win, direction);
    let [matched, rising, stable, falling, trimmed] = expect.counts;
    let (recent, base) = (expect.recent, expect.base);
    let (status, body) = service.ask(&format!("{LEADERS}&win={win}&direction={direction}&limit=50"));
    let said = if status == 200 { &body["bands"] } else { &body["error"]["details"] };
    let bands = [
        ("recent_from", json!(date(recent.0))),
        ("recent_to", json!(date(recent.1))),
        ("base_from", json!(date(base.0))),
        ("base_to", json!(date(base.1))),
        ("shifted_days", json!(expect.shifted)),
    ];
    for (field, value) in &bands {
        assert_eq!(&said[*field], value, "{field}: {body}");
    }
    if matched - trimmed < 5 {
        assert_eq!((status, &said["reason"]), (404, &json!("too_few_products")), "{body}");
        assert_eq!((&said["matched"], &said["trimmed"]), (&json!(matched), &json!(trimmed)), "{body}");
        return;
    }
    let fields = ["matched", "rising", "stable", "falling", "trimmed", "leaders"];
    let counts =
        fields.map(|field| body[field].as_u64().unwrap_or_else(|| panic!("{field}: {body}")) as usize);
    assert_eq!(counts, [matched, rising, stable, falling, trimmed, expect.moves.len()], "{body}");
    let items = body["items"].as_array().unwrap();
    let count = |value: &Value| value.as_u64().unwrap() as usize;
    let moves = items.iter().map(|item| {
        let id = item["product_id"].as_str().unwrap().parse().unwrap();
        let days = (count(&item["base_days"]), count(&item["recent_days"]));
        (id, cents(&item["from_price"]), cents(&item["to_price"]), days.0, days.1)
    });
    assert_eq!(moves.collect::<BTreeSet<_>>(), expect.moves);
    let rank = |item: &Value| {
        let (from, to) = (cents(&item["from_price"]), cents(&item["to_price"]));
        (from.max(to), from.min(to), item["product_uid"].as_str().unwrap().to_owned())
    };
    for pair in items.windows(2) {
        let ((a, b, one), (c, d, other)) = (rank(&pair[0]), rank(&pair[1]));
        assert!((c * b, &one) < (a * d, &other), "{one} comes before {other}: {body}");
    }
    let paged = (0..expect.moves.len()).step_by(3).flat_map(|cursor| {
        let target = format!("{LEADERS}&win={win}&direction={direction}&limit=3&cursor={cursor}");
        service.ask(&target).1["items"].as_array().unwrap().clone()
    });
    assert_eq!(&paged.collect::<Vec<_>>(), items, "pages add up to the whole");
}

#[test]
fn leaders_are_those_of_a_naive_recomputation() {
    for seed in 0..INPUTS {
        let mut draws = Rng::new(seed);
        let days: BTreeSet<i32> = (0..3 + 2 * seed).map(|_| draws.below(130) as i32).collect();
        let jars: Vec<Jar> = (0..40)
            .map(|id| {
                let seen = days.iter().filter(|_| draws.below(4) > 0).copied().collect::<Vec<_>>();
                let seen = if id == 0 { days.iter().copied().collect() } else { seen };
                let seen = seen.into_iter().map(|day| (day, CENTS[draws.below(CENTS.len())])).collect();
                // One input has nothing new at all.
                Jar { is_new: seed > 0 && draws.below(8) > 0, seen }
            })
            .collect();
        let service = service(&jars);
        for win in [7, 30, 90] {
            for direction in ["all", "up", "down"] {
                check(&service, &jars, win, direction);
            }
        }
    }
}

/// Six jars on the last day and on each of these days before it.
fn seen_before(before: &[i32]) -> Vec<Jar> {
    let lows = [(400, 200), (200, 250), (500, 504), (700, 700), (800, 800), (100, 201)];
    let jar = |(from, to)| {
        let mut seen: Vec<_> = before.iter().map(|days| (100 - days, from)).collect();
        seen.push((100, to));
        Jar { is_new: true, seen }
    };
    lows.map(jar).into()
}

#[test]
fn a_base_band_moves_to_the_nearest_day_and_to_the_earlier_of_two() {
    for (before, shifted) in
        [(&[33][..], 0), (&[27], 0), (&[34], -4), (&[39, 21], -9), (&[40, 21], 9), (&[45], -15), (&[15], 15)]
    {
        let jars = seen_before(before);
        let (_, body) = service(&jars).ask(LEADERS);
        assert_eq!(body["bands"]["shifted_days"], shifted, "{before:?}: {body}");
        let changes = body["items"].as_array().unwrap().iter().map(|item| item["change_pct"].clone());
        assert_eq!(changes.collect::<Vec<_>>(), [json!(-50.0), json!(25.0)]);
        assert_eq!((&body["matched"], &body["trimmed"]), (&json!(6), &json!(1)));
        assert_eq!(naive(&jars, 30, "all").shifted, shifted);
    }
    for before in [46, 14] {
        let (status, body) = service(&seen_before(&[before])).ask(LEADERS);
        let details = &body["error"]["details"];
        assert_eq!((status, &details["shifted_days"]), (404, &json!(0)), "{body}");
        assert_eq!(details["matched"], 0);
    }
}
