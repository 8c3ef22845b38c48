//! `pricebook build` and `pricebook snapshots`: what is put in use, what is not, and how an operator has the last word.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::support::crafted::write_input;
use pricebook::snapshot::publish::{accepted, current, previous};
use pricebook::snapshot::verified::VERIFIED;
use pricebook::types::Day;

/// Exit code and what is said, on both outputs.
fn pricebook(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).args(args).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap_or(-1), said)
}

fn snapshots(out: &Path, args: &[&str]) -> (i32, String) {
    let (command, rest) = args.split_first().unwrap();
    let out = out.to_str().unwrap();
    pricebook(&[&["snapshots", command, "--snapshots", out], rest].concat())
}

/// Builds the small input, or a few rows of it.
fn build(out: &Path, id: &str, is_whole: bool, more: &[&str]) -> (i32, String) {
    let input = tempfile::tempdir().unwrap();
    write_input(input.path());
    if !is_whole {
        let path = input.path().join("listings.csv");
        let few: Vec<String> =
            fs::read_to_string(&path).unwrap().lines().take(5).map(str::to_owned).collect();
        fs::write(&path, few.join("\n")).unwrap();
    }
    let input = input.path().to_str().unwrap();
    let args =
        ["build", "--input", input, "--out", out.to_str().unwrap(), "--id", id, "--max-rejects", "100"];
    pricebook(&[&args[..], more].concat())
}

#[test]
fn a_build_that_holds_much_less_is_published_and_not_current_unless_it_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path();
    assert_eq!(build(out, "whole", true, &[]).0, 0);
    let (code, said) = build(out, "half", false, &[]);
    assert_eq!(code, 1, "{said}");
    for part in ["4 listings instead of 36", "CURRENT does not name it", "snapshots activate half --force"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(current(out).unwrap().as_deref(), Some("whole"));
    assert!(out.join("half/manifest.json").exists() && out.join("reports/half/report.json").exists());
    let (code, said) = snapshots(out, &["activate", "half"]);
    assert!(code == 1 && said.contains("4 listings instead of 36"), "{said}");
    assert_eq!((current(out).unwrap().as_deref(), accepted(out).unwrap().len()), (Some("whole"), 0));

    assert_eq!(snapshots(out, &["activate", "half", "--force"]).0, 0);
    assert_eq!(
        (current(out).unwrap().as_deref(), previous(out).unwrap().as_deref()),
        (Some("half"), Some("whole"))
    );
    assert_eq!(accepted(out).unwrap(), ["half"], "servers take it too");
    assert_eq!(build(out, "whole", true, &[]).0, 0, "more is no fall");
    assert_eq!(build(out, "less", false, &["--force"]).0, 0);
    assert_eq!(current(out).unwrap().as_deref(), Some("less"));
}

#[test]
fn refuses_to_activate_damaged_snapshots() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path();
    for id in ["a", "b"] {
        assert_eq!(build(out, id, true, &[]).0, 0);
    }
    let file = out.join("a/spells.cols");
    let mut bytes = fs::read(&file).unwrap();
    bytes[100] ^= 1;
    let mut rights = fs::metadata(out.join("a")).unwrap().permissions();
    #[allow(clippy::permissions_set_readonly_false)]
    rights.set_readonly(false);
    fs::set_permissions(out.join("a"), rights).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    for args in [&["activate", "a"][..], &["activate", "a", "--force"], &["rollback"]] {
        let (code, said) = snapshots(out, args);
        assert!(code == 1 && said.contains("spells.cols") && said.contains("not put in use"), "{said}");
    }
    for id in ["../a", "none"] {
        assert_eq!(snapshots(out, &["activate", id]).0, 1);
    }
    assert_eq!(current(out).unwrap().as_deref(), Some("b"));
    // A current one that is damaged is nothing to compare with.
    fs::write(out.join("CURRENT"), "a\n").unwrap();
    assert_eq!(build(out, "c", false, &[]).0, 0);
    assert_eq!(current(out).unwrap().as_deref(), Some("c"));
}

#[test]
fn an_operator_lists_goes_back_and_tidies_up() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path();
    for id in ["a", "b", "c", "d"] {
        assert_eq!(build(out, id, true, &[]).0, 0);
    }
    let (code, said) = snapshots(out, &["list"]);
    assert_eq!(code, 0, "{said}");
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..2], ["ID", "AS"]);
    let format = pricebook::snapshot::manifest::FORMAT_VERSION.to_string();
    assert_eq!(lines[1][..4], ["d", "2026-10-28", "36", &format]);
    assert_eq!((lines[1].last(), lines[2].last()), (Some(&"current"), Some(&"previous")), "{said}");

    assert_eq!(snapshots(out, &["rollback"]).0, 0);
    assert_eq!((current(out).unwrap().as_deref(), previous(out).unwrap().as_deref()), (Some("c"), Some("d")));
    fs::create_dir(out.join(".building-7")).unwrap();
    let (code, said) = snapshots(out, &["prune", "--keep", "1"]);
    assert!(code == 0 && said.contains("2 removed"), "{said}");
    let names = |dir: &Path| -> BTreeSet<String> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let left = [
        ".build.lock",
        ".current.lock",
        ".verified",
        "CURRENT",
        "PREVIOUS",
        "accept",
        "c",
        "d",
        "reports",
        "runs",
    ];
    assert_eq!(names(out), left.map(str::to_owned).into());
    assert_eq!(names(&out.join(VERIFIED)), ["c", "d"].map(str::to_owned).into());
    assert_eq!(snapshots(&out.join("none"), &["list"]).0, 1);
    let (code, said) = snapshots(tempfile::tempdir().unwrap().path(), &["rollback"]);
    assert!(code == 1 && said.contains("PREVIOUS does not exist"), "{said}");
}

/// Builds so many listings that were seen on each of the five days before today, and once on another day.
fn build_with_day(out: &Path, id: &str, listings: usize, day: Day, more: &[&str]) -> (i32, String) {
    let input = tempfile::tempdir().unwrap();
    let mut rows = String::from("country,platform,product_id,product_name,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price\n");
    for item in 0..listings {
        rows += &format!("us,shop,{item},Thing {item},Kitchen\n");
        for ago in 1..=5 {
            observations += &format!("us,shop,{item},{},{item}.50\n", today().plus_days(-ago));
        }
    }
    fs::write(input.path().join("listings.csv"), rows).unwrap();
    fs::write(input.path().join("observations.csv"), observations + &format!("us,shop,3,{day},1\n")).unwrap();
    let input = input.path().to_str().unwrap();
    let args = ["build", "--linking", "off", "--input", input, "--out", out.to_str().unwrap(), "--id", id];
    pricebook(&[&args[..], more].concat())
}

fn today() -> Day {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Day::from_days((age.as_secs() / 86_400) as i32)
}

#[test]
fn few_observations_after_tomorrow_are_refused_until_they_are_meant() {
    let dir = tempfile::tempdir().unwrap();
    let (out, day) = (dir.path(), today().plus_days(30));
    assert_eq!(build_with_day(out, "tomorrow", 40, today().plus_days(1), &[]).0, 0);
    let (code, said) = build_with_day(out, "future", 40, day, &[]);
    assert_eq!(code, 1, "{said}");
    let named = "1 of 201 observations (under 1 %) on days after tomorrow";
    let row = format!("{day} (1, first ");
    for part in
        [named, &row, "observations.csv line 202)", "CURRENT does not name it", "activate future --force"]
    {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(current(out).unwrap().as_deref(), Some("tomorrow"));
    let (code, said) = snapshots(out, &["activate", "future"]);
    assert!(code == 1 && said.contains("observations.csv line 202)"), "{said}");

    fs::remove_file(out.join("reports/future/report.json")).unwrap();
    let (code, said) = snapshots(out, &["activate", "future"]);
    assert!(
        code == 1 && said.contains(&format!("{day} (1) (")) && said.contains("report.json cannot be read"),
        "{said}"
    );
    assert_eq!((current(out).unwrap().as_deref(), accepted(out).unwrap().len()), (Some("tomorrow"), 0));

    assert_eq!(snapshots(out, &["activate", "future", "--force"]).0, 0);
    assert_eq!(current(out).unwrap().as_deref(), Some("future"));
    assert_eq!(snapshots(out, &["activate", "future"]).0, 0, "it is accepted");
    assert_eq!(build_with_day(out, "meant", 40, day, &["--force"]).0, 0);
    assert_eq!(accepted(out).unwrap(), ["future", "meant"]);
}

#[test]
fn many_observations_after_tomorrow_are_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    let (code, said) = build_with_day(dir.path(), "future", 10, today().plus_days(30), &[]);
    assert!(code == 0 && said.contains("1 of 51 observations (2.0 %) on days after tomorrow"), "{said}");
    assert!(said.contains("Either the clock or the dates"), "{said}");
    assert_eq!(current(dir.path()).unwrap().as_deref(), Some("future"));
}

#[test]
fn ten_stray_files_and_ten_unsound_directories_are_named_and_the_others_counted() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path();
    assert_eq!(build(out, "whole", true, &[]).0, 0);
    for number in 0..12 {
        let unsound = out.join(format!("unsound-{number:02}"));
        fs::create_dir(&unsound).unwrap();
        fs::write(unsound.join("manifest.json"), "{}").unwrap();
    }
    let (code, said) = snapshots(out, &["prune", "--keep", "1"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(said.matches("remove it by hand").count(), 10, "{said}");
    assert!(said.contains("kept 2 more, 12 in all"), "{said}");

    // A copy, which is not sealed.
    let strays = out.join("strays");
    fs::create_dir(&strays).unwrap();
    for name in ["manifest.json", "manifest.json.xxh3"] {
        fs::write(strays.join(name), fs::read(out.join("whole").join(name)).unwrap()).unwrap();
    }
    for number in 0..3_000 {
        fs::write(strays.join(format!("stray-{number:04}")), "").unwrap();
    }
    let (code, said) = pricebook(&["verify", strays.to_str().unwrap()]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(said.matches("stray-").count(), 10, "{said}");
    assert!(said.contains("and 2990 more, 3000 in total"), "{said}");
}
