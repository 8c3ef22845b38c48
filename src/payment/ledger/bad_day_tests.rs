//! The ledger on a bad day: taken away, opened twice, changed by a hand, full, copied while it is written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use tempfile::TempDir;

use super::audit::{audit, back_up};
use super::for_tests::{NOW, claim, key, wait};
use super::replies::ReplyStore;
use super::writer::{PROBE_BYTES_DOWN, PROBE_BYTES_UP, Writer};
use super::{Ledger, ReplyLimits, schema};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimState, ClaimStore, Claiming, Proof, StoredAnswer,
};
use crate::payment::rails::{base, tempo};

const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 400 };

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn ledger(&self) -> PathBuf {
        self.path("ledger.sqlite")
    }

    fn open(&self) -> Ledger {
        Ledger::open(&self.ledger(), LIMITS, NOW).expect("a ledger")
    }
}

fn take(ledger: &Ledger, number: u64) {
    assert_eq!(wait(ledger.claim(claim(number))), Ok(Claiming::Ours));
}

fn step(ledger: &Ledger, number: u64, change: Change) {
    assert_eq!(wait(ledger.advance(key(number), change, NOW + number)), Ok(Advance::Done));
}

fn answer(bytes: usize) -> StoredAnswer {
    StoredAnswer {
        body: vec![b'x'; bytes],
        media_type: "text/csv".into(),
        snapshot_id: "s".into(),
        freshness_seconds: 1,
    }
}

fn sell(ledger: &Ledger, number: u64, bytes: usize) {
    take(ledger, number);
    step(ledger, number, Change::Settling(answer(bytes)));
    let proof = Some(Proof { transaction: format!("0x{number}"), index: 0 });
    step(ledger, number, Change::Settled { proof, transaction: None, answer: None });
}

/// A claim whose answer is computed and whose settlement fails.
fn fail(ledger: &Ledger, number: u64, bytes: usize) {
    take(ledger, number);
    step(ledger, number, Change::Settling(answer(bytes)));
    step(ledger, number, Change::Failed { reason: "an empty wallet".into() });
}

fn run(path: &Path, sql: &str) {
    Connection::open(path).expect("a database").execute_batch(sql).expect(sql);
}

#[test]
fn one_server_has_it_by_whatever_name() {
    let folder = Folder::new();
    let ledger = folder.open();
    let (link, twin, moved) = (folder.path("link"), folder.path("twin"), folder.path("moved"));
    std::os::unix::fs::symlink(folder.ledger(), &link).expect("a link");
    fs::hard_link(folder.ledger(), &twin).expect("a second name");
    for name in [&folder.ledger(), &link, &twin] {
        let refused = Ledger::open(name, LIMITS, NOW).err().expect("a refusal").to_string();
        assert!(refused.contains("another server has"), "{}: {refused}", name.display());
    }
    fs::rename(folder.ledger(), &moved).expect("renamed");
    let refused = Ledger::open(&moved, LIMITS, NOW).err().expect("a refusal").to_string();
    assert!(refused.contains("another server has"), "{refused}");
    fs::rename(&moved, folder.ledger()).expect("renamed back");
    drop(ledger);
    drop(folder.open());
}

/// Another process is kept out by the file itself, whatever it is called.
#[test]
#[cfg(target_os = "linux")]
fn the_lock_is_on_the_file_itself() {
    let folder = Folder::new();
    let ledger = folder.open();
    let twin = folder.path("twin");
    fs::hard_link(folder.ledger(), &twin).expect("a second name");
    // Its own lock is none of this process's table: what another process would ask for.
    let status = std::process::Command::new("flock").args(["--nonblock"]).arg(&twin).arg("true").status();
    match status {
        Ok(status) => assert!(!status.success(), "the file is locked"),
        Err(error) => eprintln!("skipped: no flock on this machine ({error})"),
    }
    drop(ledger);
}

#[test]
fn a_ledger_that_was_taken_away_takes_nothing() {
    let folder = Folder::new();
    let (path, aside) = (folder.ledger(), folder.path("aside"));
    let ledger = folder.open();
    sell(&ledger, 1, 3);
    let refused = |word: &str| {
        let claimed = wait(ledger.claim(claim(2))).expect_err("no claim").to_string();
        let checked = wait(ledger.check()).expect_err("a fault").to_string();
        for refusal in [claimed, checked, ledger.fault().expect("a fault")] {
            assert!(refusal.contains(word), "{refusal}");
        }
        assert!(ledger.figures().expect("figures").fault.is_some());
    };
    fs::rename(&path, &aside).expect("renamed");
    refused("was removed or renamed");
    fs::write(&path, "something else").expect("written");
    refused("was replaced");
    fs::rename(&aside, &path).expect("renamed back");
    assert_eq!(wait(ledger.check()), Ok(()));
    assert_eq!(ledger.fault(), None);
    take(&ledger, 2);
    let (log, log_aside) = (folder.path("ledger.sqlite-wal"), folder.path("log"));
    fs::rename(&log, &log_aside).expect("there is a log");
    refused("ledger.sqlite-wal was removed");
    fs::rename(&log_aside, &log).expect("renamed back");
    assert_eq!(wait(ledger.check()), Ok(()));
}

#[test]
fn a_closed_ledger_is_whole_in_its_file_alone() {
    let folder = Folder::new();
    let ledger = folder.open();
    for number in 0..50 {
        sell(&ledger, number, 3);
    }
    assert_eq!(wait(ledger.close()), Ok(()));
    let copy = folder.path("copy.sqlite");
    // Bytes of another program's copying: this one still has the file open.
    let bytes = std::process::Command::new("cat").arg(folder.ledger()).output().expect("cat").stdout;
    fs::write(&copy, bytes).expect("a copy");
    let found = audit(&copy).expect("a ledger");
    assert_eq!(
        (found.faults.as_slice(), found.claims.as_slice()),
        (&[][..], &[("settled".to_owned(), 50)][..])
    );
    let refused = wait(ledger.claim(claim(99))).expect_err("it is closed").to_string();
    assert!(refused.contains("the writer thread has stopped"), "{refused}");
}

#[test]
fn a_row_that_was_changed_by_a_hand_is_refused_and_named() {
    let folder = Folder::new();
    let ledger = folder.open();
    (1..=3).for_each(|number| sell(&ledger, number, 3));
    take(&ledger, 4);
    step(&ledger, 4, Change::Open { reason: "because".into() });
    drop(ledger);
    assert_eq!(audit(&folder.ledger()).expect("a ledger").faults, Vec::<String>::new());
    for change in [
        "amount = 1",
        "payer = 'another'",
        "state = 'settled'",
        "tx = '0xother'",
        "log_index = 9",
        "request = ''",
        "media_type = 'x'",
        "pay_to = pay_to || ' '",
        "settled_at = settled_at + 1",
    ] {
        let copy = folder.path("changed.sqlite");
        fs::copy(folder.ledger(), &copy).expect("a copy");
        let number = if change.starts_with("state") { 4 } else { 2 };
        run(&copy, &format!("UPDATE claims SET {change} WHERE key = '{}'", key(number)));
        let found = audit(&copy).expect("a ledger");
        let named = |fault: &String| fault.contains(&format!("{} does not match", key(number)));
        assert_eq!(
            found.faults.iter().filter(|fault| named(fault)).count(),
            1,
            "{change}: {:?}",
            found.faults
        );
        assert!(found.to_string().contains("fault"), "{found}");
        let refused = back_up(&copy, &folder.path("backup")).expect_err("a refusal").to_string();
        assert!(refused.contains("does not match"), "{refused}");
        assert!(!folder.path("backup").exists());
        let ledger = Ledger::open(&copy, LIMITS, NOW).expect("the others are served");
        let refused = ledger.lookup(&key(number)).expect_err("a refusal").to_string();
        assert!(refused.contains("is damaged: it does not match its checksum"), "{refused}");
        assert!(ledger.lookup(&key(3)).expect("a row").is_some());
        assert!(wait(ledger.claim(claim(number))).is_err());
        assert_eq!(ledger.watched(base::NAME, NOW, 9).expect("rows").len(), usize::from(number != 4));
        drop(ledger);
        fs::remove_file(&copy).expect("removed");
    }
}

#[test]
fn a_damaged_file_is_not_opened() {
    let folder = Folder::new();
    let ledger = folder.open();
    for number in 0..200 {
        sell(&ledger, number, 1);
    }
    drop(ledger);
    let mut bytes = fs::read(folder.ledger()).expect("its bytes");
    // A page in the middle becomes nonsense.
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xa5);
    fs::write(folder.ledger(), bytes).expect("written");
    let refused = Ledger::open(&folder.ledger(), LIMITS, NOW).err().expect("a refusal").to_string();
    assert!(refused.contains("is damaged") && refused.contains("backup"), "{refused}");
    let found = audit(&folder.ledger());
    assert!(found.is_err() || found.is_ok_and(|found| !found.faults.is_empty()));
}

/// A disk that is full: nothing can be claimed, that is known before the next claim, and it ends when there is room for
/// more than a probe of nothing.
#[test]
fn a_ledger_that_cannot_be_written_says_so_until_it_can() {
    let folder = Folder::new();
    super::file::create(&folder.ledger()).expect("a file");
    let mut connection = schema::open_writer(&folder.ledger()).expect("a ledger");
    let replies = ReplyStore::take_stock(&mut connection, LIMITS, NOW).expect("a reply store");
    let write_health = Arc::default();
    let writer = Writer {
        connection: Arc::new(Mutex::new(connection)),
        replies,
        write_health: Arc::clone(&write_health),
        stock: Arc::new(Mutex::new(replies)),
    };
    let limit = |more: i64| {
        let connection = writer.connection.lock().expect("the connection");
        let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a count");
        connection.execute_batch(&format!("PRAGMA max_page_count = {}", pages + more)).expect("a limit");
    };
    let now = std::time::Instant::now();
    assert_eq!(write_health.probe_due(now), Some(PROBE_BYTES_UP));
    assert_eq!(write_health.probe_due(now), None, "it was probed a moment ago");
    assert_eq!(writer.probe(PROBE_BYTES_UP), Ok(()));
    limit(3);
    assert!(writer.probe(PROBE_BYTES_DOWN).is_err_and(|fault| fault.0.contains("full")));
    assert!(write_health.fault().is_some_and(|fault| fault.contains("full")));
    assert_eq!(write_health.probe_due(now), Some(PROBE_BYTES_DOWN), "again and again");
    limit(1_000);
    assert_eq!(writer.probe(PROBE_BYTES_DOWN), Ok(()));
    assert_eq!(write_health.fault(), None);
}

#[test]
fn an_operation_that_is_at_fault_itself_does_not_take_the_ledger_down() {
    let folder = Folder::new();
    let ledger = folder.open();
    let bad = Claim { amount: u64::MAX, ..claim(1) };
    assert!(wait(ledger.claim(bad)).is_err());
    assert_eq!(ledger.fault(), None);
    take(&ledger, 2);
    assert_eq!(wait(ledger.check()), Ok(()));
}

#[test]
fn unsold_answers_do_not_evict_sold_answers() {
    let folder = Folder::new();
    let ledger = folder.open();
    sell(&ledger, 1, 200);
    sell(&ledger, 2, 200);
    for number in 100..150 {
        fail(&ledger, number, 60);
    }
    let kept = |number| ledger.answer(&key(number), NOW).expect("a ledger").is_some();
    assert_eq!((kept(1), kept(2)), (true, true));
    // Unsold answers have a quarter of that room beside it, and the newest stay.
    assert_eq!((kept(100), kept(147), kept(148), kept(149)), (false, false, false, true));
    let figures = ledger.figures().expect("figures");
    assert_eq!((figures.sold_bytes, figures.unsold_bytes), (400, 60));
    assert_eq!(figures.claims, [(ClaimState::Failed, 50), (ClaimState::Settled, 2)]);
    // What is being settled stays whatever its size, and what is sold then has the room of sold ones.
    take(&ledger, 3);
    step(&ledger, 3, Change::Settling(answer(300)));
    assert!(kept(3));
    step(&ledger, 3, Change::Settled { proof: None, transaction: None, answer: None });
    assert_eq!((kept(1), kept(2), kept(3)), (false, false, true));
}

/// However many claims can never be decided, and however often each was looked at, a new one comes first.
#[test]
fn new_doubts_do_not_wait_behind_old_ones() {
    let folder = Folder::new();
    let ledger = folder.open();
    let doubt = |number| {
        take(&ledger, number);
        step(&ledger, number, Change::Unknown { transaction: None, reason: "who knows".into() });
    };
    (0..20).for_each(doubt);
    let query = |now: u64, count| {
        let rows = ledger.watched(base::NAME, now, count).expect("rows");
        let keys: Vec<ClaimKey> = rows.into_iter().map(|row| row.claim.key).collect();
        let due = keys.iter().map(|key| (key.clone(), now + 1_000)).collect();
        wait(ledger.query_again(due)).expect("noted");
        keys
    };
    assert_eq!(query(NOW, 5), (0..5).map(key).collect::<Vec<_>>());
    assert_eq!(query(NOW + 1, 5), (5..10).map(key).collect::<Vec<_>>(), "round robin");
    doubt(20);
    take(&ledger, 30);
    step(&ledger, 30, Change::Open { reason: "given back".into() });
    assert_eq!(query(NOW + 2, 15), (10..21).chain([30]).map(key).collect::<Vec<_>>());
    assert_eq!(query(NOW + 3, 15), [], "none is due");
    doubt(21);
    let next = query(NOW + 5_000, 5);
    assert_eq!(next, [21, 0, 1, 2, 3, 30].map(key), "the new one first, and Open ones beside the others");
    assert_eq!(ledger.watched(tempo::NAME, NOW + 5_000, 9), Ok(Vec::new()));
    // A step makes its claim due at once.
    take(&ledger, 30);
    step(&ledger, 30, Change::Open { reason: "given back again".into() });
    assert_eq!(query(NOW + 5_001, 1), [4, 30].map(key));
}

#[test]
fn a_backup_is_whole_while_a_server_writes() {
    let folder = Folder::new();
    let ledger = folder.open();
    (0..100).for_each(|number| sell(&ledger, number, 3));
    let out = folder.path("backup.sqlite");
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| (100..200).for_each(|number| sell(&ledger, number, 3)));
        let found = back_up(&folder.ledger(), &out).expect("a backup");
        assert_eq!((found.faults.len(), found.version), (0, schema::SCHEMA_VERSION));
        writing.join().expect("no panic");
    });
    let mode = fs::metadata(&out).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let refused = back_up(&folder.ledger(), &out).expect_err("a refusal").to_string();
    assert!(refused.contains("already exists"), "{refused}");
    let names: Vec<_> =
        fs::read_dir(folder.0.path()).expect("a folder").map(|it| it.expect("a file").file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("partial")), "{names:?}");
    let copy = Ledger::open(&out, LIMITS, NOW).expect("a ledger");
    assert_eq!(copy.lookup(&key(0)), ledger.lookup(&key(0)));
    assert!(copy.lookup(&key(0)).expect("a row").is_some());
    let nowhere = back_up(&folder.path("absent"), &folder.path("other")).expect_err("a refusal").to_string();
    assert!(nowhere.contains("check that the file exists"), "{nowhere}");
}

#[test]
fn the_media_type_that_was_asked_for_is_remembered() {
    let folder = Folder::new();
    let ledger = folder.open();
    take(&ledger, 1);
    step(&ledger, 1, Change::Open { reason: "given back".into() });
    let row = || ledger.lookup(&key(1)).expect("a ledger").expect("a row");
    assert_eq!(row().claim.media_type, "text/csv");
    let again = Claim { media_type: "application/json".into(), ..claim(1) };
    assert_eq!(wait(ledger.claim(again)), Ok(Claiming::Ours));
    assert_eq!(row().claim.media_type, "application/json");
}
