//! The ledger as a file and as a writer: what is refused at the door, and what happens when writing fails.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::for_tests::{claim, key, wait};
use super::replies::ReplyStore;
use super::writer::{LedgerOperation, Waiting, Writer};
use super::{Ledger, ReplyLimits, operations, schema};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimState, ClaimStore, Claiming, Proof, StoreError, StoredAnswer,
};

const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 1 << 20 };
/// When a ledger is opened first, in milliseconds since 1970, like every other instant here.
const OPENED: u64 = 4;
const COPIES: usize = 20;
/// More than SQLite's integers hold.
const TOO_MUCH: u64 = u64::MAX;

fn answer(body: &[u8]) -> StoredAnswer {
    StoredAnswer {
        body: body.to_vec(),
        media_type: "application/json".into(),
        snapshot_id: "2026-11-21-00c0ffee".into(),
        freshness_seconds: 5,
    }
}

fn settled(index: u64) -> Change {
    let proof = Some(Proof { transaction: "0xpaid".into(), index });
    Change::Settled { proof, transaction: None, answer: None }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn refusal(path: &Path) -> String {
    Ledger::open(path, LIMITS, OPENED).err().expect("a refusal").to_string()
}

#[test]
fn a_new_ledger_is_its_owners_alone() {
    let folder = folder();
    let path = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&path, LIMITS, OPENED).expect("a ledger");
    wait(ledger.claim(claim(1))).expect("claimed");
    for entry in fs::read_dir(folder.path()).expect("a folder") {
        let entry = entry.expect("a file");
        let mode = entry.metadata().expect("its mode").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
    }
}

#[test]
fn one_server_at_a_time() {
    let folder = folder();
    let path = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&path, LIMITS, OPENED).expect("a ledger");
    assert!(refusal(&path).contains("another server has"), "{}", refusal(&path));
    let alias = folder.path().join("alias.sqlite");
    std::os::unix::fs::symlink(&path, &alias).expect("a link");
    assert!(refusal(&alias).contains("another server has"), "{}", refusal(&alias));
    drop(ledger);
    Ledger::open(&path, LIMITS, OPENED).expect("it is free again");
}

#[test]
fn refuses_foreign_databases_without_changing_them() {
    let folder = folder();
    let path = folder.path().join("ledger.sqlite");
    let foreign = |sql: &str| {
        let _ = fs::remove_file(&path);
        Connection::open(&path).expect("a database").execute_batch(sql).expect(sql);
    };
    let refused = |word: &str| {
        let before = fs::read(&path).expect("its bytes");
        let refusals = [refusal(&path), schema::open_reader(&path).expect_err("a refusal").to_string()];
        for refusal in refusals {
            assert!(refusal.contains(word), "{refusal}");
        }
        assert_eq!(fs::read(&path).expect("its bytes"), before, "{word}");
    };
    foreign("CREATE TABLE songs (title TEXT)");
    refused("is not a ledger of pricebook");
    foreign("PRAGMA application_id = 7");
    refused("is not a ledger of pricebook");
    foreign("PRAGMA application_id = 0x50424c47; PRAGMA user_version = 99");
    refused("tables of version 99");
    fs::write(&path, "Dear diary, today I did not write a database header.".repeat(20)).expect("written");
    refused("is not a ledger of pricebook");
    let absent = folder.path().join("nowhere/ledger.sqlite");
    assert!(refusal(&absent).contains("cannot be opened"), "{}", refusal(&absent));
    let unread = schema::open_reader(&absent).expect_err("a refusal").to_string();
    assert!(unread.contains("check that the file exists"), "{unread}");
}

#[test]
fn a_closed_ledger_is_one_file_and_holds_everything() {
    let folder = folder();
    let path = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&path, LIMITS, OPENED).expect("a ledger");
    wait(async {
        assert_eq!(ledger.first_block("eip155:8453".into(), 9).await, Ok(9));
        assert_eq!(ledger.claim(claim(1)).await, Ok(Claiming::Ours));
        assert_eq!(ledger.advance(key(1), Change::Settling(answer(b"{}")), 5).await, Ok(Advance::Done));
        assert_eq!(ledger.advance(key(1), settled(0), 6).await, Ok(Advance::Done));
    });
    let row = ledger.lookup(&key(1)).expect("a row").expect("a row");
    assert_eq!(
        (row.state, row.settled_at, row.transaction.as_deref()),
        (ClaimState::Settled, Some(6), Some("0xpaid"))
    );
    drop(ledger);
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 2, "the ledger and its lock");
    let ledger = Ledger::open(&path, LIMITS, 7).expect("a ledger");
    assert_eq!(ledger.lookup(&key(1)), Ok(Some(row)));
    let over = 6 + LIMITS.reply_ttl_s * 1000;
    assert_eq!(ledger.answer(&key(1), over), Ok(Some(answer(b"{}"))));
    assert_eq!(ledger.answer(&key(1), over + 1), Ok(None), "whether or not anything was written since");
    assert_eq!(wait(ledger.first_block("eip155:8453".into(), 99)), Ok(9));
}

#[test]
fn of_many_copies_one_is_ours() {
    let folder = folder();
    let ledger =
        Arc::new(Ledger::open(&folder.path().join("ledger.sqlite"), LIMITS, OPENED).expect("a ledger"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    for number in 0..10 {
        let copies: Vec<_> = (0..COPIES)
            .map(|_| {
                let ledger = Arc::clone(&ledger);
                runtime.spawn(async move {
                    let claiming = ledger.claim(claim(number)).await.expect("an answer");
                    assert!(
                        ledger.lookup(&key(number)).expect("a row").is_some(),
                        "what was claimed is seen"
                    );
                    claiming == Claiming::Ours
                })
            })
            .collect();
        let ours = copies.into_iter().map(|copy| runtime.block_on(copy).expect("no panic"));
        assert_eq!(ours.filter(|ours| *ours).count(), 1);
    }
}

/// A writer without its thread, on a ledger in a file.
fn writer(folder: &TempDir) -> Writer {
    let mut connection = schema::open_writer(&writer_path(folder)).expect("a ledger");
    let replies = ReplyStore::take_stock(&mut connection, LIMITS, 0).expect("a reply store");
    let (write_health, stock) = (Arc::default(), Arc::new(Mutex::new(replies)));
    Writer { connection: Arc::new(Mutex::new(connection)), replies, write_health, stock }
}

fn writer_path(folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("ledger.sqlite");
    super::file::create(&path).expect("a file");
    path
}

type PaymentOutcome = oneshot::Receiver<Result<Claiming, StoreError>>;

fn claiming(claim: Claim) -> (Box<dyn Waiting>, PaymentOutcome) {
    let (done, outcome) = oneshot::channel();
    let work = move |connection: &Connection, _: &mut ReplyStore| operations::claim(connection, &claim);
    (Box::new(LedgerOperation::new(work, done)), outcome)
}

fn write(writer: &mut Writer, claims: Vec<Claim>) -> Vec<Result<Claiming, StoreError>> {
    let (mut group, outcomes): (Vec<_>, Vec<_>) = claims.into_iter().map(claiming).unzip();
    writer.write(&mut group);
    outcomes.into_iter().map(|mut outcome| outcome.try_recv().expect("everybody is answered")).collect()
}

fn count(writer: &Writer) -> i64 {
    let connection = writer.connection.lock().expect("the connection");
    connection.query_row("SELECT count(*) FROM claims", [], |row| row.get(0)).expect("a count")
}

#[test]
fn a_failed_operation_fails_alone() {
    let folder = folder();
    let mut writer = writer(&folder);
    let bad = Claim { amount: TOO_MUCH, ..claim(2) };
    let outcomes = write(&mut writer, vec![claim(1), bad, claim(3), claim(1)]);
    assert_eq!(outcomes[0], Ok(Claiming::Ours));
    assert!(outcomes[1].as_ref().is_err_and(|fault| fault.0.contains("too large")), "{outcomes:?}");
    assert_eq!(outcomes[2], Ok(Claiming::Ours));
    assert!(matches!(&outcomes[3], Ok(Claiming::Known(row)) if row.claim == claim(1)), "{outcomes:?}");
    assert_eq!(count(&writer), 2);
}

#[test]
fn rolls_back_a_failed_operation() {
    let folder = folder();
    let mut writer = writer(&folder);
    assert_eq!(write(&mut writer, vec![claim(1)]), [Ok(Claiming::Ours)]);
    let (done, mut outcome) = oneshot::channel();
    // The body is stored before the row, whose time is too large a number.
    let work = move |connection: &Connection, replies: &mut ReplyStore| {
        operations::advance(connection, replies, &key(1), Change::Settling(answer(&[7; 100])), TOO_MUCH)
    };
    writer.write(&mut vec![Box::new(LedgerOperation::new(work, done))]);
    assert!(outcome.try_recv().expect("an answer").is_err());
    let mut connection = writer.connection.lock().expect("the connection");
    assert_eq!(super::replies::answer(&connection, LIMITS, &key(1), 0), Ok(None));
    let counted = ReplyStore::take_stock(&mut connection, LIMITS, 0).expect("a reply store");
    assert_eq!(format!("{:?}", writer.replies), format!("{counted:?}"), "what is counted is what is there");
}

#[test]
fn a_failed_commit_fails_all_of_its_group() {
    let folder = folder();
    let mut writer = writer(&folder);
    // A debt that is looked at only when the transaction commits.
    let debt = "
        CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER debt AFTER INSERT ON claims WHEN NEW.payer = 'debtor'
            BEGIN INSERT INTO children VALUES (1); END;";
    writer.connection.lock().expect("the connection").execute_batch(debt).expect("a trigger");
    let debtor = Claim { payer: "debtor".into(), ..claim(2) };
    let outcomes = write(&mut writer, vec![claim(1), debtor, claim(3)]);
    assert!(outcomes.iter().all(|outcome| outcome.as_ref().is_err_and(|fault| fault.0.contains("FOREIGN"))));
    assert_eq!(count(&writer), 0);
    assert_eq!(write(&mut writer, vec![claim(1)]), [Ok(Claiming::Ours)], "the next group is none the worse");
}

/// SQLite ends the whole transaction when the disk is full; what was reported done in it must not count as done, and
/// what comes after it must not be written outside of any transaction.
#[test]
fn a_full_disk_undoes_the_group() {
    let folder = folder();
    let mut writer = writer(&folder);
    let limit = |writer: &Writer, more: i64| {
        let connection = writer.connection.lock().expect("the connection");
        let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a count");
        connection.execute_batch(&format!("PRAGMA max_page_count = {}", pages + more)).expect("a limit");
    };
    assert_eq!(write(&mut writer, vec![claim(100)]), [Ok(Claiming::Ours)]);
    limit(&writer, 2);
    let wide = |number| Claim { trace: "x".repeat(900), ..claim(number) };
    // The last one is small enough to find room where the first wide ones were.
    let group: Vec<Claim> = (0..40).map(wide).chain([claim(40)]).collect();
    let outcomes = write(&mut writer, group.clone());
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count() as i64;
    assert!(outcomes.iter().any(|outcome| outcome.as_ref().is_err_and(|fault| fault.0.contains("full"))));
    assert_eq!(count(&writer), 1 + done, "{outcomes:?}");
    let connection = schema::open_reader(&writer_path(&folder)).expect("a reader");
    for (claim, outcome) in group.iter().zip(&outcomes) {
        let found = super::rows::find(&connection, &claim.key).expect("a read").is_some();
        assert_eq!(found, outcome.is_ok(), "{}", claim.key);
    }
    limit(&writer, 1000);
    assert_eq!(write(&mut writer, vec![wide(200)]), [Ok(Claiming::Ours)], "with room again it goes on");
}

#[test]
fn a_ledger_that_lost_its_writer_says_so() {
    let mut ledger = Ledger::in_memory(LIMITS).expect("a ledger");
    ledger.jobs = None;
    let fault = wait(ledger.claim(claim(1))).expect_err("nobody writes");
    assert!(fault.to_string().contains("restart the server"), "{fault}");
}
