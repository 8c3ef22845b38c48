//! Runs that are put together say what they said apart.

use std::fs;
use std::path::Path;

use super::compact::{UsedRun, compact, used_runs};
use super::prune::{InUse, prune_older, prune_unused};
use super::run::{MEMBER_FOLDER, RUN_FOLDER, RUN_JSON};
use super::*;
use crate::ingest::Silent;
use crate::ingest::rejects::Reason;
use crate::store::Store;
use crate::types::{Country, Day};

fn store(dir: &Path) -> Store {
    Store::open(dir.join("runs").to_str().unwrap()).unwrap()
}

fn name(number: u64) -> String {
    blake3::hash(&number.to_le_bytes()).to_hex().to_string()
}

/// A run of one file with observations of some keys on one day, every tenth of which is rejected.
fn make(dir: &Path, number: u64, day: u16) -> String {
    let folder = dir.join("made");
    fs::create_dir_all(&folder).unwrap();
    let mut keys: Vec<(u64, String)> = (0..50)
        .map(|key| {
            let id = format!("{}", key * (1 + number % 3));
            (Key { country: Country::Us, platform: "acme", product_id: &id }.hash(), id)
        })
        .collect();
    keys.sort();
    let (mut writer, mut rejects) = (
        GroupWriter::create(&folder.join(ROWS)).unwrap(),
        RunRejectWriter::create(&folder.join(REJECTS)).unwrap(),
    );
    for (at, (hash, id)) in keys.iter().enumerate() {
        let mut table = GroupTable::default();
        table.begin(Key { country: Country::Us, platform: "acme", product_id: id }, *hash, 0);
        let micros = Day::OBSERVED_MIN.plus_days(day.into()).start().micros();
        let (line, price) = (2 + at as u64, number as u32);
        table.push_observation(ObservationOfRun { day, price, list_price: 0, flags: 0, micros, line });
        writer.push(&table.group(0)).unwrap();
    }
    for line in (100..100 + number % 4).rev().map(|line| 300 - line) {
        let reason = Reason::UnparsablePrice;
        rejects
            .push(&RunReject { member: 0, of_listings: false, line, reason, value: format!("{number}") })
            .unwrap();
    }
    let member = MemberMeta {
        run: name(number),
        rows_by_day: [(day, 50)].into(),
        rejected_observations: number % 4,
        groups: 50,
        ..MemberMeta::default()
    };
    let meta = RunMeta {
        members: vec![member],
        batches: writer.finish().unwrap(),
        rejects: rejects.finish().unwrap(),
    };
    Run::put(&store(dir), &name(number), &folder, &meta).unwrap();
    name(number)
}

/// Every row and reject of members in use: name of the member, key, line, price; sorted.
fn said(runs: &[UsedRun]) -> Vec<(String, String, u64, u64)> {
    let mut said = Vec::new();
    for UsedRun { run, members } in runs {
        let name = |member: u32| run.meta().members[member as usize].run.clone();
        let mut groups = run.groups(0..=u64::MAX).unwrap();
        while let Some(group) = groups.current() {
            if members.contains(&group.member) {
                let rows = group.observations;
                let row = |at: usize| {
                    (
                        name(group.member),
                        group.key.product_id.to_owned(),
                        rows.line[at],
                        rows.price[at].into(),
                    )
                };
                said.extend((0..rows.len()).map(row));
            }
            groups.advance().unwrap();
        }
        let rejects =
            run.rejects().unwrap().map(Result::unwrap).filter(|reject| members.contains(&reject.member));
        said.extend(
            rejects.map(|reject| {
                (name(reject.member), String::new(), reject.line, reject.value.parse().unwrap())
            }),
        );
    }
    said.sort();
    said
}

const OCTOBER: u16 = 9_770;
const NOVEMBER: u16 = 9_810;

#[test]
fn months_that_are_over_become_one_run_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let mut names: Vec<String> = (0..10).map(|number| make(dir.path(), number, OCTOBER)).collect();
    names.extend((10..20).map(|number| make(dir.path(), number, NOVEMBER)));
    let store = store(dir.path());
    let used = || used_runs(&store, names.iter().map(String::as_str)).unwrap();
    let apart = said(&used());
    assert_eq!(apart.len(), 20 * 50 + (0..20).map(|number| number % 4).sum::<usize>());
    let runs = compact(&store, dir.path(), used(), &Silent).unwrap();
    assert_eq!(runs.len(), 11, "the newest month stays as it is");
    assert_eq!(said(&runs), apart);
    let whole = runs.iter().find(|used| used.members.len() == 10).unwrap().run.clone();
    assert!(whole.meta().members.is_sorted_by(|a, b| a.run < b.run));

    // Runs are found where they are now, also when they themselves are gone.
    for name in &names[..10] {
        store.remove(&format!("{RUN_FOLDER}/{name}/{RUN_JSON}")).unwrap();
        assert!(Run::is_there(&store, name).unwrap());
    }
    assert_eq!(said(&used()), apart);
    assert_eq!(compact(&store, dir.path(), used(), &Silent).unwrap().len(), 11);

    // A file that was corrected is a member of another run, or none; the others stay where they are.
    let (gone, corrected) = (name(3), make(dir.path(), 99, OCTOBER));
    let names: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != gone).chain([&*corrected]).collect();
    let runs = compact(&store, dir.path(), used_runs(&store, names).unwrap(), &Silent).unwrap();
    assert_eq!(runs.len(), 12);
    let expected = apart.iter().filter(|row| row.0 != gone).count() + 50 + 3;
    assert_eq!(said(&runs).len(), expected);
    assert!(said(&runs).iter().all(|row| row.0 != gone));
}

#[test]
fn runs_of_runs_keep_every_member() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    // Months of seven are too few each, and together they are too many.
    let names: Vec<String> =
        (0..266).map(|number| make(dir.path(), number, 9_000 + 31 * (number / 7) as u16)).collect();
    let used = || used_runs(&store, names.iter().map(String::as_str)).unwrap();
    let apart = said(&used());
    let runs = compact(&store, dir.path(), used(), &Silent).unwrap();
    assert!(runs.len() <= RUNS_MAX, "{}", runs.len());
    assert_eq!(said(&runs), apart);
    assert_eq!(said(&used()), apart);
}

#[test]
fn removes_objects_unused_by_two_builds() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..10).map(|number| make(dir.path(), number, OCTOBER)).collect();
    make(dir.path(), 10, NOVEMBER);
    let store = store(dir.path());
    store.create("known/k1", names[0].as_bytes()).unwrap();
    store.create("shard/s1/shard.json", b"{}").unwrap();
    store.create("shard/s1/listings", b"x").unwrap();
    store.create("else", b"is left alone").unwrap();
    let in_use = |runs: &[UsedRun], known: &str| {
        let mut in_use = InUse::default();
        for used in runs {
            in_use.add_run(&used.run);
        }
        in_use.add_known(known);
        in_use.add_shard("s1");
        in_use
    };
    let runs = used_runs(&store, names.iter().map(String::as_str)).unwrap();
    let pruned = prune_unused(&store, &in_use(&runs, "k1")).unwrap();
    assert_eq!(pruned.objects, 3, "the run that nobody used");
    let runs = {
        make(dir.path(), 11, NOVEMBER);
        let mut all = runs;
        all.extend(used_runs(&store, [&*name(11)]).unwrap());
        all
    };
    let runs = compact(&store, dir.path(), runs, &Silent).unwrap();
    assert_eq!(prune_unused(&store, &in_use(&runs, "k2")).unwrap().objects, 0, "the build before used them");
    let gone = prune_unused(&store, &in_use(&runs, "k2")).unwrap();
    assert_eq!(gone.objects, 10 * 3 + 1, "members, and what was known");
    assert!(names.iter().all(|name| Run::is_there(&store, name).unwrap()));
    assert_eq!(store.list(MEMBER_FOLDER).unwrap().len(), 10);
    assert_eq!(prune_older(&store, 0).unwrap().objects, 0);
    let all = prune_older(&store, i64::MAX).unwrap();
    assert!(all.objects > 0 && all.bytes > 0);
    assert_eq!(store.list(RUN_FOLDER).unwrap().len() + store.list("shard").unwrap().len(), 0);
    assert!(store.get("else").unwrap().is_some());
}
