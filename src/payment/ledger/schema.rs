//! The database: its tables, how it is recognised, and how each kind of connection is set up.
//!
//! Invariant: a connection is handed out only for a database that carries our application id and a version that this
//! program knows; nothing was changed in one that was refused. A database of an older version is migrated, one step
//! per version, in one transaction by the connection that writes. A connection that only reads takes it as it is. A
//! ledger of every version that ever was is kept in `tests/golden/ledger`. Times are Unix milliseconds unless a name
//! says otherwise.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};
use rusqlite_migration::{M, Migrations};

use super::row_checksum::checksum_all;
use crate::payment::core::claim::StoreError;

/// "PBLG": the mark of a pricebook ledger in the header of the file; the first step sets it.
const APPLICATION_ID: i32 = 0x5042_4c47;
/// Version of the tables that this program writes: the number of steps that lead to them.
pub(super) const SCHEMA_VERSION: i32 = 4;
/// The first version that has payment channels.
pub(super) const CHANNELS_SINCE: i32 = 4;
/// The first version whose rows carry checksums.
pub(super) const CHECKSUMMED_SINCE: i32 = 3;
/// Wait for another connection's short locks: recovery of the log, a checkpoint.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Statements that a connection keeps prepared: more than there are.
const STATEMENTS_KEPT: usize = 32;
/// Length to which the write-ahead log is cut when it starts anew.
const LOG_BYTES_KEPT: u32 = 64 << 20;

/// From an empty database to the newest tables, a step per version. A step that ledgers have taken is never changed:
/// what is to be different comes in a new one, with a ledger of the version before it under `tests/golden/ledger`.
fn steps() -> Migrations<'static> {
    let checksummed =
        M::up_with_hook(CHECKSUMS, |transaction: &Transaction<'_>| Ok(checksum_all(transaction)?));
    Migrations::new(vec![M::up(TABLES), M::up(MEDIA_TYPES), checksummed, M::up(CHANNELS)])
}

/// Partial indices hold what is in motion, so they stay small while the table grows for good.
const TABLES: &str = "
    PRAGMA application_id = 0x50424c47;
    CREATE TABLE claims (
        key TEXT PRIMARY KEY NOT NULL,
        rail TEXT NOT NULL,
        protocol TEXT NOT NULL,
        network TEXT NOT NULL,
        asset TEXT NOT NULL,
        payer TEXT NOT NULL,
        pay_to TEXT NOT NULL,
        amount INTEGER NOT NULL,
        endpoint TEXT NOT NULL,
        request TEXT NOT NULL,
        reference TEXT NOT NULL,
        trace TEXT NOT NULL,
        valid_before INTEGER NOT NULL,
        from_block INTEGER NOT NULL,
        claimed_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        since INTEGER NOT NULL,
        tx TEXT,
        log_index INTEGER,
        settled_at INTEGER,
        confirmed INTEGER NOT NULL,
        watched INTEGER NOT NULL,
        reason TEXT,
        snapshot_id TEXT
    ) STRICT;
    CREATE UNIQUE INDEX claims_transfer ON claims (network, tx, log_index) WHERE log_index IS NOT NULL;
    CREATE INDEX claims_watched ON claims (claimed_at, key) WHERE watched = 1;
    CREATE INDEX claims_at_work ON claims (key) WHERE state IN ('claimed', 'settling');
    CREATE INDEX claims_settled ON claims (settled_at, key) WHERE settled_at IS NOT NULL;
    CREATE TABLE replies (
        key TEXT PRIMARY KEY NOT NULL REFERENCES claims (key),
        freshness_seconds INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        kept_at INTEGER,
        body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX replies_kept ON replies (kept_at, key) WHERE kept_at IS NOT NULL;
    CREATE TABLE networks (
        network TEXT PRIMARY KEY NOT NULL,
        first_block INTEGER NOT NULL
    ) STRICT;
";

/// Answers know their media type. Those of version 1 were all of one.
const MEDIA_TYPES: &str =
    "ALTER TABLE replies ADD COLUMN media_type TEXT NOT NULL DEFAULT 'application/json'";

/// Claims know the media type that is wanted, when they are looked at next, and their own checksum; states are counted as
/// they change; answers that nobody paid for yet are found, the oldest first; and a probe has a place to write to.
const CHECKSUMS: &str = "
    ALTER TABLE claims ADD COLUMN media_type TEXT NOT NULL DEFAULT 'application/json';
    ALTER TABLE claims ADD COLUMN next_look INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE claims ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    DROP INDEX claims_watched;
    CREATE INDEX claims_watched ON claims (rail, (state = 'open'), next_look, claimed_at, key) WHERE watched = 1;
    CREATE INDEX replies_unsold ON replies (kept_at) WHERE kept_at IS NULL;
    CREATE TABLE tallies (
        state TEXT PRIMARY KEY NOT NULL,
        claims INTEGER NOT NULL
    ) STRICT;
    INSERT INTO tallies SELECT state, count(*) FROM claims GROUP BY state;
    CREATE TRIGGER claims_begun AFTER INSERT ON claims BEGIN
        INSERT INTO tallies (state, claims) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET claims = claims + 1;
    END;
    CREATE TRIGGER claims_moved AFTER UPDATE OF state ON claims WHEN NEW.state <> OLD.state BEGIN
        UPDATE tallies SET claims = claims - 1 WHERE state = OLD.state;
        INSERT INTO tallies (state, claims) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET claims = claims + 1;
    END;
    CREATE TABLE probes (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL
    ) STRICT;
";

/// Payment channels, their events and their revenue; deposits on them are claims of a kind of their own. Answers lie last
/// in their rows, so that what is read of a row without its answer is read without going through it.
const CHANNELS: &str = "
    ALTER TABLE claims ADD COLUMN kind TEXT NOT NULL DEFAULT 'sale';
    CREATE INDEX claims_deposits ON claims (reference) WHERE kind = 'deposit';
    CREATE TABLE channel (
        id BLOB PRIMARY KEY NOT NULL,
        rail TEXT NOT NULL,
        config TEXT NOT NULL,
        payer TEXT NOT NULL,
        signer TEXT NOT NULL,
        balance INTEGER NOT NULL,
        claimed INTEGER NOT NULL,
        charged INTEGER NOT NULL,
        signed INTEGER,
        signature BLOB,
        prior_signed INTEGER,
        prior_signature BLOB,
        published INTEGER NOT NULL,
        refund_nonce INTEGER NOT NULL,
        intent TEXT,
        withdraw_at INTEGER,
        chain_synced_at INTEGER NOT NULL,
        unclaimed_since INTEGER,
        last_request_hash BLOB,
        last_media TEXT,
        last_receipt TEXT,
        last_snapshot TEXT,
        last_freshness_seconds INTEGER,
        opened_at INTEGER NOT NULL,
        used_at INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        last_bytes INTEGER,
        last_body BLOB
    ) STRICT;
    CREATE INDEX channel_kept ON channel (used_at, id) WHERE last_bytes IS NOT NULL;
    CREATE TABLE channel_event (
        seq INTEGER PRIMARY KEY,
        channel BLOB,
        kind TEXT NOT NULL,
        amount INTEGER NOT NULL,
        tx TEXT,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX channel_event_kind ON channel_event (kind, channel, seq);
    CREATE TABLE channel_revenue (
        day INTEGER NOT NULL,
        endpoint TEXT NOT NULL,
        payments INTEGER NOT NULL,
        amount INTEGER NOT NULL,
        PRIMARY KEY (day, endpoint)
    ) STRICT, WITHOUT ROWID;
";

/// What a database turned out to be.
#[derive(PartialEq, Eq)]
enum Kind {
    Empty,
    /// Ours, of this version.
    Ledger(i32),
}

/// The connection that writes; makes the tables in an empty file, and brings older ones to the newest version.
pub(super) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = connect(path, flags)?;
    let kind = recognise(&connection, path)?;
    if let Some(fault) = structure(&connection, "quick_check", 1)?.first() {
        return Err(StoreError(format!(
            "{} is damaged: {fault}; restore a backup (`pricebook ledger verify` lists every fault)",
            path.display()
        )));
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let path = path.display();
        return Err(StoreError(format!(
            "{path} is on a file system where SQLite cannot keep a write-ahead log; move the ledger to a local disk"
        )));
    }
    // `fullfsync` has a meaning on macOS only, where a plain flush stops at the disk's own memory.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA journal_size_limit = {LOG_BYTES_KEPT};"
    ))?;
    let steps_before = if let Kind::Ledger(version) = kind { version } else { 0 };
    if steps_before < SCHEMA_VERSION {
        migrate(&mut connection)?;
        if steps_before > 0 {
            tracing::info!(
                from = steps_before,
                to = SCHEMA_VERSION,
                "the ledger was migrated to a newer version"
            );
        }
    }
    Ok(connection)
}

/// A connection that only reads, beside a server that writes or without one.
pub(super) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    match recognise(&connection, path)? {
        Kind::Ledger(_) => Ok(connection),
        Kind::Empty => Err(foreign(path)),
    }
}

/// A ledger without a file.
pub(super) fn in_memory() -> Result<Connection, StoreError> {
    let mut connection = Connection::open_in_memory()?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    migrate(&mut connection)?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags).map_err(|error| unreadable(path, &error))?;
    connection.busy_timeout(BUSY_MAX)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

/// Takes the steps that are missing: all of them, or none.
fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let failed =
        |error| StoreError(format!("the tables cannot be created or migrated to a newer version: {error}"));
    steps().to_latest(connection).map_err(failed)
}

/// What SQLite finds wrong with its own structure by a check of its: the first faults.
pub(super) fn structure(
    connection: &Connection,
    check: &str,
    count_max: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(&format!("PRAGMA {check}({count_max})"))?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

/// The version of its tables.
pub(super) fn version(connection: &Connection) -> Result<i32, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn recognise(connection: &Connection, path: &Path) -> Result<Kind, StoreError> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let application = number("PRAGMA application_id").map_err(|error| unreadable(path, &error))?;
    let version = version(connection)?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    match (application, version, tables) {
        (APPLICATION_ID, 1..=SCHEMA_VERSION, _) => Ok(Kind::Ledger(version)),
        (APPLICATION_ID, _, _) => Err(StoreError(format!(
            "{} has tables of version {version}, and this program supports versions up to {SCHEMA_VERSION}; use the \
             pricebook that wrote the ledger, or a newer one; the ledger is the only record of its payments",
            path.display()
        ))),
        (0, 0, 0) => Ok(Kind::Empty),
        _ => Err(foreign(path)),
    }
}

fn foreign(path: &Path) -> StoreError {
    StoreError(format!("{} is not a ledger of pricebook; name another file", path.display()))
}

fn unreadable(path: &Path, error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => foreign(path),
        Some(ErrorCode::CannotOpen) => StoreError(format!(
            "{} cannot be opened: {error}; check that the file exists and that its folder is writable (the write-ahead \
             log requires a writable folder even for reading)",
            path.display()
        )),
        _ => StoreError(format!("{} cannot be read: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_number_of_steps() {
        let connection = in_memory().expect("a ledger");
        assert_eq!(version(&connection), Ok(SCHEMA_VERSION));
        assert_eq!(steps().validate(), Ok(()));
    }

    /// The statements that run at every opening and in every round of the reconciler do not walk the whole table.
    #[test]
    fn frequent_queries_use_an_index() {
        let connection = in_memory().expect("a ledger");
        for (sql, index) in [
            (crate::payment::ledger::operations::AT_WORK, "claims_at_work"),
            (crate::payment::ledger::operations::RECOVER, "claims_at_work"),
            (crate::payment::ledger::rows::WATCHED, "claims_watched"),
            (crate::payment::ledger::operations::PAID_BY, "claims_transfer"),
            (crate::payment::ledger::replies::OLDEST, "replies_kept"),
            (crate::payment::ledger::replies::OLDEST_UNSOLD, "replies_unsold"),
            (crate::payment::ledger::report::EXPORT, "claims_settled"),
            (crate::payment::ledger::report::SUMMARY, "claims_settled"),
            (crate::payment::ledger::replies::OLDEST_ON_CHANNEL, "channel_kept"),
            (crate::payment::ledger::operations::IN_DOUBT, "claims_deposits"),
        ] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(sql);
            let empty = vec![0_i64; statement.parameter_count()];
            let rows = statement.query_map(rusqlite::params_from_iter(empty), |row| row.get::<_, String>(3));
            let plan: Vec<String> = rows.expect(sql).collect::<Result<_, _>>().expect(sql);
            assert!(plan.iter().any(|line| line.contains(index)), "{sql}: {plan:?}");
            assert!(!plan.iter().any(|line| line.ends_with("SCAN claims")), "{sql}: {plan:?}");
        }
    }
}
