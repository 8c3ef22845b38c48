//! Figures of the evaluation against figures by hand.

use crate::support::asking;
use clap::Parser as _;
use std::fs;
use std::path::PathBuf;

use crate::quality::command::{EvalCommand, run as eval};
use crate::quality::search::people::{Absent, PeopleOptions, Present};
use crate::quality::search::{judged, known, people};
use pricebook::catalog::Catalog;
use pricebook::search::index::QualityConstants;
use tempfile::{TempDir, tempdir};

/// Five mugs of one shop, the first of which another sells too, a pot, and a mug that has no price any more. The
/// shorter a name, the better it matches.
const LISTINGS: &str = "country,platform,product_id,product_name,brand,gtin,category_path
us,alpha,1,Mug,,4006381333931,Kitchen
us,beta,1,Mug or a cup with a very long name,,4006381333931,Kitchen
us,alpha,2,Mug blue,,,Kitchen
us,alpha,3,Mug blue large,,,Kitchen
us,alpha,4,Mug blue large round,,,Kitchen
us,alpha,5,Mug blue large round glazed,,,Kitchen
us,alpha,6,Pot,,,Kitchen
us,alpha,7,Mug,,,Kitchen
";
const OBSERVATIONS: &str = "country,platform,product_id,date,price
us,alpha,1,2026-10-31,1
us,beta,1,2026-10-31,1
us,alpha,2,2026-10-31,1
us,alpha,3,2026-10-31,1
us,alpha,4,2026-10-31,1
us,alpha,5,2026-10-31,1
us,alpha,6,2026-10-31,1
us,alpha,7,2026-01-31,1
";

fn catalog() -> (Catalog, TempDir) {
    let dir = tempdir().unwrap();
    let input = dir.path().join("input");
    fs::create_dir(&input).unwrap();
    fs::write(input.join("listings.csv"), LISTINGS).unwrap();
    fs::write(input.join("observations.csv"), OBSERVATIONS).unwrap();
    (asking::build(&[input], &dir.path().join("snapshots")), dir)
}

fn file(dir: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// `mug` is answered with the mugs 1 to 5 in their order: grades 0, 3, 0, 1, 0 (beta's 1 has the better grade of the
/// first entity, listing 7 has no price), ideal 3, 2, 1. `pot` has one place, and a better listing that is unknown.
/// `teapot` finds nothing; `lid` has no positive grade.
#[test]
fn ndcg_is_that_by_hand() {
    let (catalog, dir) = catalog();
    let path = file(
        &dir,
        "judgements.csv",
        "grade,country,query,platform,product_id\n\
         0,us,mug,alpha,1\n0,us,mug,beta,1\n3,us,mug,alpha,2\n1,us,mug,ALPHA,4\n2,us,mug,alpha,7\n\
         1,us,pot,alpha,6\n2,us,pot,gamma,9\n1,us,teapot,alpha,6\n0,us,lid,alpha,6\n0,us,lid,alpha,1\n",
    );
    let report = judged::run(&catalog, &path).unwrap();
    let log2 = f64::log2;
    let mug = (7.0 / log2(3.0) + 1.0 / log2(5.0)) / (7.0 + 3.0 / log2(3.0) + 1.0 / log2(4.0));
    let pot = 1.0 / (3.0 + 1.0 / log2(3.0));
    assert!(near(report.ndcg_at_10, (mug + pot + 0.0) / 3.0), "{report:?}");
    assert!(near(report.zero_result_rate, 1.0 / 3.0));
    assert_eq!((report.queries, report.without_positive), (3, 1));
    assert_eq!((report.judged_listings, report.missing_listings), (8, 1));
    assert!(report.latency.p50_us > 0.0 && report.latency.p50_us <= report.latency.p99_us);

    let linked = file(
        &dir,
        "linked.csv",
        "country,query,platform,product_id,grade\nus,mug,alpha,1,1\nus,mug,beta,1,3\nus,mug,alpha,2,2\n",
    );
    let report = judged::run(&catalog, &linked).unwrap();
    let ideal = 7.0 + 3.0 / log2(3.0) + 1.0 / log2(4.0);
    let entity = 7.0 + 3.0 / log2(3.0);
    assert!(near(report.ndcg_at_10, entity / ideal), "an entity counts once, by its best grade: {report:?}");
}

#[test]
fn hits_are_those_by_hand() {
    let (catalog, dir) = catalog();
    let path = file(
        &dir,
        "typos.csv",
        "country,kind,query,meant,targets,catalog\n\
         us,control,mug,mug,beta|1,kitchen\n\
         us,control,blue mug,mug blue,alpha|3;gamma|3,kitchen\n\
         us,delete,mgu,mug,alpha|1,kitchen\n\
         us,delete,mug blue,mug,alpha|6;alpha|2,kitchen\n\
         us,delete,pot lud,pot,alpha|1,kitchen\n\
         us,plural,mugs,mug,gamma|1,elsewhere\n",
    );
    let report = known::run(&catalog, &path).unwrap();
    assert_eq!(report.without_target, 1);
    let figures: Vec<_> = report.kinds.iter().map(|kind| (kind.kind.as_str(), kind.queries)).collect();
    assert_eq!(figures, [("control", 2), ("delete", 3), ("edited", 3), ("all", 5)]);
    let third = 1.0 / 3.0;
    let expected = [(0.5, 1.0, 0.0), (third, third, third), (third, third, third), (0.4, 0.6, 0.2)];
    for (kind, (first, tenth, none)) in report.kinds.iter().zip(expected) {
        assert!(near(kind.hit_at_1, first) && near(kind.hit_at_10, tenth), "{kind:?}");
        assert!(near(kind.zero_result_rate, none), "{kind:?}");
    }
}

/// Of what is there a mug and a pot are found, a mug of another size and a mug that should be a pot; of what is not, a
/// teapot is refused, and "mug" is answered.
#[test]
fn queries_of_shoppers_are_judged_as_by_hand() {
    let (catalog, dir) = catalog();
    let path = file(
        &dir,
        "people.csv",
        "country,query,kind,wanted,unwanted,catalog\n\
         us,mug,present,^mug$ && category:kitchen,,shop\n\
         us,pot,present,pot,,shop\n\
         us,mug blue 5 l,present,blue && 5 ?l,,shop\n\
         us,mug round,present,mug,round,shop\n\
         us,teapot,absent,,,shop\n\
         us,mug,absent,,,shop\n\
         us,a lamp for the desk of my office,absent,,,shop\n\
         us,mug,present,mug,,another\n",
    );
    let outcomes = dir.path().join("outcomes.tsv");
    let options = PeopleOptions {
        queries: &path,
        catalog: "shop",
        min_quality: None,
        constants: QualityConstants::default(),
        outcomes: Some(&outcomes),
    };
    let report = people::run(&catalog, &options).unwrap();
    let there = Present { queries: 4, right: 2, right_other_size: 1, wrong: 1, refused: 0 };
    assert_eq!(report.present, there, "{report}");
    assert_eq!(report.absent_short, Absent { queries: 2, refused: 1, answered: 1 });
    assert_eq!(report.absent_long, Absent { queries: 1, refused: 1, answered: 0 });
    let lines = fs::read_to_string(&outcomes).unwrap();
    assert_eq!(lines.lines().nth(1), Some("mug\tpresent\tRight\t100\tMug"), "{lines}");
    assert!(people::run(&catalog, &PeopleOptions { catalog: "nobody", ..options }).is_err());
}

#[test]
fn files_that_cannot_be_evaluated_are_refused() {
    let (catalog, dir) = catalog();
    let judge = |text: &str| judged::run(&catalog, &file(&dir, "judgements.csv", text)).unwrap_err();
    let head = "country,query,platform,product_id,grade\n";
    for (text, what) in [
        ("country,query,platform,product_id\n".to_owned(), "grade"),
        (format!("{head}us,mug,alpha,1,4\n"), "line 2: grade \"4\" is not"),
        (format!("{head}us,mug,alpha,1,1\nfr,mug,alpha,1,1\n"), "line 3: country \"fr\" is not"),
        (format!("{head}us,mug,alpha,1,0\n"), "no query has a grade above 0"),
    ] {
        let error = format!("{:#}", judge(&text));
        assert!(error.contains(what), "{error}");
    }
    let known = |text: &str| known::run(&catalog, &file(&dir, "typos.csv", text)).unwrap_err();
    let head = "country,kind,query,meant,targets\n";
    let error = format!("{:#}", known(&format!("{head}us,control,mug,mug,alpha-1\n")));
    assert!(error.contains("line 2: target \"alpha-1\" is not"), "{error}");
    let error = format!("{:#}", known(&format!("{head}us,control,mug,mug,gamma|1\n")));
    assert!(error.contains("no target is a listing of this snapshot"), "{error}");
}

/// The command takes a snapshot or a directory of snapshots, prints text or JSON, and wants one file of labels.
#[test]
fn the_command_prints_the_figures() {
    let (_, dir) = catalog();
    let labels = file(&dir, "typos.csv", "country,kind,query,meant,targets\nus,control,mug,mug,alpha|1\n");
    let snapshots = dir.path().join("snapshots");
    let id = fs::read_to_string(snapshots.join("CURRENT")).unwrap();
    let run = |args: &[&str]| -> anyhow::Result<String> {
        eval(EvalCommand::try_parse_from(["eval", "search"].iter().chain(args))?)
    };
    let labels = labels.to_str().unwrap();
    for snapshot in [snapshots.clone(), snapshots.join(id.trim())] {
        let text = run(&["--snapshot", snapshot.to_str().unwrap(), "--typos", labels]).unwrap();
        assert!(text.contains("control        1  1.000   1.000  0.000"), "{text}");
    }
    let snapshots = snapshots.to_str().unwrap();
    let json = run(&["--snapshot", snapshots, "--typos", labels, "--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kinds"][0]["hit_at_1"], 1.0);
    assert!(json["p99_us"].is_f64());
    assert!(run(&["--snapshot", snapshots]).is_err(), "labels are wanted");
    let both = run(&["--snapshot", snapshots, "--typos", labels, "--judgements", labels]);
    assert!(both.is_err(), "one file at a time");
}
