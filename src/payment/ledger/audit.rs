//! Audits and backups: is everything in a ledger as it was written, and a whole copy of it while a server writes.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::channels;
use super::file::{create, sync_folder};
use super::row_checksum;
use super::rows::number;
use super::schema::{self, CHANNELS_SINCE, CHECKSUMMED_SINCE};
use crate::payment::core::claim::StoreError;

/// Faults that are listed one by one.
const FAULTS_LISTED_MAX: usize = 100;

/// What an audit found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerAudit {
    /// Version of the tables.
    pub version: i32,
    /// Claims by state, in the ledger's words.
    pub claims: Vec<(String, u64)>,
    /// Payment channels.
    pub channels: u64,
    /// Stored answers.
    pub answers: u64,
    /// Their bytes.
    pub answer_bytes: u64,
    /// Everything that is not as it should be; empty when the ledger is sound.
    pub faults: Vec<String>,
}

impl fmt::Display for LedgerAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims: u64 = self.claims.iter().map(|(_, count)| count).sum();
        writeln!(f, "version {} of the tables", self.version)?;
        writeln!(f, "{claims} claims")?;
        for (state, count) in &self.claims {
            writeln!(f, "  {state} {count}")?;
        }
        if self.channels > 0 {
            writeln!(f, "{} payment channels", self.channels)?;
        }
        writeln!(f, "{} stored answers of {} bytes", self.answers, self.answer_bytes)?;
        if self.version < CHECKSUMMED_SINCE {
            writeln!(
                f,
                "rows of this version have no checksums; a server adds checksums when it opens the ledger"
            )?;
        }
        match self.faults.len() {
            0 => writeln!(f, "sound"),
            count => {
                for fault in self.faults.iter().take(FAULTS_LISTED_MAX) {
                    writeln!(f, "fault: {fault}")?;
                }
                writeln!(f, "faults: {count}")
            }
        }
    }
}

/// Looks through a whole ledger, whether or not a server has it open: the database's own structure, references, the
/// checksum of every row, and the counts.
///
/// # Errors
/// When it cannot be read at all, or is none of ours or of a newer version.
pub fn audit(path: &Path) -> Result<LedgerAudit, StoreError> {
    let connection = schema::open_reader(path)?;
    // One view of it, whatever is written meanwhile.
    let view = connection.unchecked_transaction()?;
    let mut audit = LedgerAudit { version: schema::version(&view)?, ..LedgerAudit::default() };
    audit.faults.extend(schema::structure(&view, "integrity_check", FAULTS_LISTED_MAX)?);
    references(&view, &mut audit)?;
    counts(&view, &mut audit)?;
    if audit.version >= CHECKSUMMED_SINCE {
        checksums(&view, &mut audit)?;
    }
    if audit.version >= CHANNELS_SINCE {
        let (faults, count) = channels::faults(&view)?;
        audit.faults.extend(faults);
        audit.channels = count;
    }
    Ok(audit)
}

fn references(connection: &Connection, audit: &mut LedgerAudit) -> Result<(), StoreError> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let dangling = statement.query_map([], |row| row.get::<_, String>(0))?;
    for table in dangling {
        audit.faults.push(format!("a row of {} does not belong to a claim", table?));
    }
    Ok(())
}

fn counts(connection: &Connection, audit: &mut LedgerAudit) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare("SELECT state, count(*) FROM claims GROUP BY state ORDER BY state")?;
    let claims = statement.query_map([], |row| Ok((word(row)?, number(row, 1)?)))?;
    audit.claims = claims.collect::<Result<_, _>>()?;
    let sums = "SELECT count(*), coalesce(sum(length(body)), 0), coalesce(sum(bytes), 0) FROM replies";
    let (answers, held, said) =
        connection.query_row(sums, [], |row| Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?)))?;
    (audit.answers, audit.answer_bytes) = (answers, held);
    if held != said {
        audit
            .faults
            .push(format!("stored answers have {held} bytes, and their recorded size is {said} bytes"));
    }
    Ok(())
}

/// The word in the first column; of one that was damaged what is left of it, since the others are to be counted too.
fn word(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?).into_owned())
}

fn checksums(connection: &Connection, audit: &mut LedgerAudit) -> Result<(), StoreError> {
    let (broken, _) = row_checksum::broken(connection)?;
    let faults =
        broken.iter().map(|row| format!("the row of payment {} does not match its checksum", row.key));
    audit.faults.extend(faults);
    let mut statement =
        connection.prepare("SELECT state, claims FROM tallies WHERE claims > 0 ORDER BY state")?;
    let tallies = statement.query_map([], |row| Ok((word(row)?, number(row, 1)?)))?;
    let tallies: Vec<(String, u64)> = tallies.collect::<Result<_, _>>()?;
    if tallies != audit.claims {
        audit.faults.push(format!(
            "the recorded counts of claims are {tallies:?}, and the actual counts are {:?}",
            audit.claims
        ));
    }
    Ok(())
}

/// Copies a ledger, whether or not a server has it open, into a new file that needs no log beside it. The copy is of one
/// moment, for its owner alone, audited, and on disk when this returns.
///
/// # Errors
/// When there is something at `out` already, the ledger cannot be read, the copy cannot be written, or an audit of the
/// copy finds a fault; then there is no copy.
pub fn back_up(path: &Path, out: &Path) -> Result<LedgerAudit, StoreError> {
    let failed = |error: io::Error| StoreError(format!("{} cannot be written: {error}", out.display()));
    if fs::symlink_metadata(out).is_ok() {
        return Err(StoreError(format!("{} already exists; name another file", out.display())));
    }
    let partial = Partial::beside(out).map_err(failed)?;
    let connection = schema::open_reader(path)?;
    let name = partial.0.to_str().ok_or_else(|| StoreError("the name of the copy is not UTF-8".into()))?;
    // One view of the ledger, written anew page by page.
    connection.execute("VACUUM INTO ?1", [name])?;
    let audit = audit(&partial.0)?;
    if let Some(fault) = audit.faults.first() {
        return Err(StoreError(format!("the copy is damaged, and the ledger may be damaged too: {fault}")));
    }
    File::open(&partial.0).and_then(|file| file.sync_all()).map_err(failed)?;
    // A link, unlike a new name, never takes the place of a file that came meanwhile.
    fs::hard_link(&partial.0, out).and_then(|()| sync_folder(out)).map_err(failed)?;
    Ok(audit)
}

/// A copy in the making; gone when it is dropped.
struct Partial(PathBuf);

impl Partial {
    fn beside(out: &Path) -> io::Result<Self> {
        let mut name = out.as_os_str().to_owned();
        name.push(format!(".partial-{}", std::process::id()));
        let partial = Self(PathBuf::from(name));
        create(&partial.0)?;
        Ok(partial)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = fs::remove_file(&self.0);
    }
}
