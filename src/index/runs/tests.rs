//! What is written is read, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::index::BatchIndex;
use super::run::{ROWS, RUN_JSON};
use super::writer::GROUP_ROWS_MAX;
use super::*;
use crate::ingest::rejects::Reason;
use crate::snapshot::tables::ListingInput;
use crate::store::Store;
use crate::types::{Condition, Country, Day};

/// A row of a run, for comparison.
#[derive(Debug, Clone, PartialEq)]
enum Row {
    Listing(u64, String, usize),
    Observation(ObservationOfRun),
    Odd(u64, Odd, String),
}

type Rows = BTreeMap<(u64, String, String, u32), Vec<Row>>;

fn key(number: u64) -> (String, String) {
    (format!("shop-{}", number % 3), format!("{number:05}"))
}

/// A table of groups by number of their keys, ordered as runs are; each row draws its values from its line.
fn table(groups: &[(u64, u32, Vec<u64>)]) -> GroupTable {
    let mut order: Vec<_> = groups.iter().collect();
    let (mut table, texts) = (GroupTable::default(), |number| key(number));
    order.sort_by_key(|(number, member, _)| {
        let (platform, product_id) = texts(*number);
        let key = Key { country: Country::Ca, platform: &platform, product_id: &product_id };
        (key.hash(), platform.clone(), product_id.clone(), *member)
    });
    for (number, member, lines) in order {
        let (platform, product_id) = texts(*number);
        let key = Key { country: Country::Ca, platform: &platform, product_id: &product_id };
        table.begin(key, key.hash(), *member);
        for &line in lines.iter().filter(|line| line.is_multiple_of(7)) {
            table.push_listing(&candidate(line, &format!("Name {line}")));
        }
        for &line in lines {
            table.push_observation(observation(line));
            if line.is_multiple_of(5) {
                table.push_odd(&OddRow { line, what: Odd::ALL[line as usize % 3], value: "n/a" });
            }
        }
    }
    table
}

fn candidate(line: u64, name: &str) -> ListingCandidate<'_> {
    ListingCandidate {
        line,
        micros: if line.is_multiple_of(2) { i64::MIN } else { line as i64 },
        says: line.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        brand: "Acme",
        path: "Food > Cereal",
        mpn: "",
        condition: Condition::New,
        gtin: line,
        gpc_code: 0,
        texts: TEXT_COLUMNS.map(|column| match column {
            ListingInput::ProductName => name,
            ListingInput::Url => &name[5..],
            _ => "",
        }),
    }
}

fn observation(line: u64) -> ObservationOfRun {
    let day = (line * 31 % 40_000) as u16;
    let time = if line.is_multiple_of(3) { line as i64 } else { 0 };
    let micros = Day::OBSERVED_MIN.plus_days(i32::from(day)).start().micros() + time;
    ObservationOfRun { day, price: line as u32, list_price: 0, flags: (line % 8) as u8, micros, line }
}

fn rows_of(group: &RunGroup<'_>, rows: &mut Rows) {
    let RunGroup { hash, key: Key { platform, product_id, .. }, member, .. } = *group;
    assert_eq!(hash, group.key.hash());
    let into = rows.entry((hash, platform.to_owned(), product_id.to_owned(), member)).or_default();
    let listing = |row: ListingCandidate<'_>| {
        Row::Listing(
            row.line,
            row.text(ListingInput::ProductName).to_owned(),
            row.text(ListingInput::Url).len(),
        )
    };
    into.extend(group.listings.iter().map(listing));
    let of = &group.observations;
    into.extend((0..of.len()).map(|at| {
        let (day, price, list_price) = (of.day[at], of.price[at], of.list_price[at]);
        let (flags, micros, line) = (of.flags[at], of.micros[at], of.line[at]);
        Row::Observation(ObservationOfRun { day, price, list_price, flags, micros, line })
    }));
    into.extend(group.odd.iter().map(|row| Row::Odd(row.line, row.what, row.value.to_owned())));
}

fn rows(table: &GroupTable) -> Rows {
    let mut rows = Rows::new();
    (0..table.len()).for_each(|at| rows_of(&table.group(at), &mut rows));
    rows
}

/// Writes groups to a run of a folder.
fn write(table: &GroupTable, dir: &Path) -> BatchIndex {
    let mut writer = GroupWriter::create(&dir.join(ROWS)).unwrap();
    (0..table.len()).for_each(|at| writer.push(&table.group(at)).unwrap());
    let batches = writer.finish().unwrap();
    let mut rejects = RunRejectWriter::create(&dir.join(REJECTS)).unwrap();
    let reject = |line, of_listings| {
        let value = "x".to_owned();
        RunReject { member: 0, of_listings, line, reason: Reason::UnparsableDate, value }
    };
    for (line, of_listings) in [(9, true), (3, false)] {
        rejects.push(&reject(line, of_listings)).unwrap();
    }
    assert!(rejects.push(&reject(3, false)).is_err(), "out of order");
    let rejects = rejects.finish().unwrap();
    let member = MemberMeta { rejected_listings: 1, rejected_observations: 1, ..MemberMeta::default() };
    let meta = RunMeta { members: vec![member], batches: batches.clone(), rejects };
    Run::put(&store(dir), "r", dir, &meta).unwrap();
    batches
}

fn store(dir: &Path) -> Store {
    Store::open(dir.to_str().unwrap()).unwrap()
}

fn read(dir: &Path, hashes: std::ops::RangeInclusive<u64>) -> anyhow::Result<Rows> {
    let run = Run::open(&store(dir), "r")?;
    let (mut groups, mut rows) = (run.groups(hashes)?, Rows::new());
    while let Some(group) = groups.current() {
        rows_of(&group, &mut rows);
        groups.advance()?;
    }
    let rejects = run.rejects()?.collect::<anyhow::Result<Vec<_>>>()?;
    assert_eq!(rejects.len(), 2);
    Ok(rows)
}

#[test]
fn reads_written_rows_by_any_hash_range() {
    let groups: Vec<_> = (0..3_000)
        .map(|number| (number, 0, (0..number % 9).map(|row| number * 11 + row).collect()))
        .collect();
    let table = table(&groups);
    let dir = tempfile::tempdir().unwrap();
    let batches = write(&table, dir.path());
    assert!(batches.len() > 2, "{}", batches.len());
    let all = rows(&table);
    assert_eq!(read(dir.path(), 0..=u64::MAX).unwrap(), all);
    for shift in [1, 3, 6] {
        let width = u64::MAX >> shift;
        for part in 0..1_u64 << shift {
            let from = part << (64 - shift);
            let expected: Rows = all
                .iter()
                .filter(|(key, _)| key.0 >= from && key.0 <= from + width)
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            assert_eq!(read(dir.path(), from..=from + width).unwrap(), expected, "{part} of {}", 1 << shift);
        }
    }
    let first = batches.first_hashes[1];
    assert_eq!(read(dir.path(), first..=first).unwrap().len(), 1);
    assert_eq!(read(dir.path(), first + 1..=first + 1).unwrap().len(), 0);
}

/// However the rows of a key come, the file is the same.
#[test]
fn large_groups_are_cut_by_their_rows_alone() {
    let lines: Vec<u64> = (1..3 * GROUP_ROWS_MAX as u64).collect();
    let whole = table(&[(1, 0, lines.clone()), (2, 0, vec![5])]);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    write(&whole, dirs[0].path());
    assert_eq!(read(dirs[0].path(), 0..=u64::MAX).unwrap().len(), 2);

    let (listed, rest): (Vec<u64>, Vec<u64>) = lines.iter().partition(|line| line.is_multiple_of(7));
    let mut parts: Vec<GroupTable> = Vec::new();
    let (platform, product_id) = key(1);
    let key = Key { country: Country::Ca, platform: &platform, product_id: &product_id };
    for lines in listed.chunks(9_999) {
        let mut part = GroupTable::default();
        part.begin(key, key.hash(), 0);
        for &line in lines {
            part.push_listing(&candidate(line, &format!("Name {line}")));
        }
        parts.push(part);
    }
    assert!(!rest.is_empty());
    for lines in lines.chunks(12_345) {
        let mut part = GroupTable::default();
        part.begin(key, key.hash(), 0);
        for &line in lines {
            part.push_observation(observation(line));
            if line.is_multiple_of(5) {
                part.push_odd(&OddRow { line, what: Odd::ALL[line as usize % 3], value: "n/a" });
            }
        }
        parts.push(part);
    }
    let other = table(&[(2, 0, vec![5])]);
    if other.hash[0] < key.hash() {
        parts.insert(0, other);
    } else {
        parts.push(other);
    }
    let mut writer = GroupWriter::create(&dirs[1].path().join(ROWS)).unwrap();
    for part in &parts {
        writer.push(&part.group(0)).unwrap();
    }
    writer.finish().unwrap();
    let whole = fs::read(dirs[0].path().join("run/r").join(ROWS)).unwrap();
    assert!(whole == fs::read(dirs[1].path().join(ROWS)).unwrap(), "other bytes");
}

#[test]
fn groups_come_in_order_or_are_refused() {
    let sorted = table(&[(1, 0, vec![1]), (2, 0, vec![2]), (1, 1, vec![3])]);
    let dir = tempfile::tempdir().unwrap();
    let mut writer = GroupWriter::create(&dir.path().join(ROWS)).unwrap();
    writer.push(&sorted.group(1)).unwrap();
    assert!(writer.push(&sorted.group(0)).is_err());
}

#[test]
fn other_engines_read_the_rows() {
    let table = table(&[(1, 0, vec![1, 2, 3]), (2, 0, vec![7])]);
    let dir = tempfile::tempdir().unwrap();
    write(&table, dir.path());
    let mut file = fs::File::open(dir.path().join("run/r").join(ROWS)).unwrap();
    let metadata = polars_arrow::io::ipc::read::read_file_metadata(&mut file).unwrap();
    assert_eq!(metadata.blocks.len(), 1);
    let names: Vec<_> = metadata.schema.iter_names().map(ToString::to_string).collect();
    assert_eq!(names[..3], ["groups", "platforms", "product_ids"]);
}

/// Whatever byte is changed or missing, it is an error.
#[test]
fn damage_is_an_error_and_no_panic() {
    let table = table(&[(1, 0, vec![1, 2, 3]), (2, 0, vec![5, 7, 14])]);
    let dir = tempfile::tempdir().unwrap();
    let batches = write(&table, dir.path());
    for (name, from, to) in [
        (ROWS, batches.starts[0] as usize, batches.end as usize),
        (RUN_JSON, 0, usize::MAX),
        (REJECTS, 0, usize::MAX),
    ] {
        let path = dir.path().join("run/r").join(name);
        let whole = fs::read(&path).unwrap();
        // Every byte of what is small, some of the rows.
        let step = if name == ROWS { 13 } else { 1 };
        for at in (from..to.min(whole.len())).step_by(step) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            fs::write(&path, bytes).unwrap();
            assert!(read(dir.path(), 0..=u64::MAX).is_err(), "{name}: byte {at}");
            if at % 5 == 0 {
                fs::write(&path, &whole[..at]).unwrap();
                assert!(read(dir.path(), 0..=u64::MAX).is_err(), "{name}: cut at {at}");
            }
        }
        fs::write(&path, whole).unwrap();
    }
    read(dir.path(), 0..=u64::MAX).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_groups_come_back(
        groups in proptest::collection::btree_map(
            (0..40_u64, 0..2_u32),
            proptest::collection::btree_set(1..100_000_u64, 0..20),
            0..30,
        )
    ) {
        let groups: Vec<_> = groups
            .into_iter()
            .map(|((number, member), lines)| (number, member, lines.into_iter().collect()))
            .collect();
        let table = table(&groups);
        let dir = tempfile::tempdir().unwrap();
        write(&table, dir.path());
        prop_assert_eq!(read(dir.path(), 0..=u64::MAX).unwrap(), rows(&table));
    }
}
