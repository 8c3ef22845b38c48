//! The first half of a build, with everything that it leaves in memory.

use pricebook::index::memory::MEMORY_BYTES_MIN;
use pricebook::index::normalized::Canonical;
use pricebook::index::pipeline::PipelineOptions;
use pricebook::ingest::{Arguments, InputReport, RejectWriter, Silent, Spool};
use pricebook::store::Store;

/// Reads an input and leaves clean tables, whose invariants hold; what was found out is in `report`, also after an
/// error.
pub fn clean(
    arguments: &Arguments,
    rejects: &mut RejectWriter,
    report: &mut InputReport,
) -> anyhow::Result<Canonical> {
    let scratch = tempfile::tempdir()?;
    let store = Store::open(&scratch.path().join("runs").to_string_lossy())?;
    let spool = Spool::new(scratch.path());
    let gathering = PipelineOptions {
        arguments,
        gpc: None,
        lexicon: None,
        spool: &spool,
        store: &store,
        scratch: scratch.path(),
        memory: MEMORY_BYTES_MIN,
        rehash: false,
        // Also inputs of a few rows are cut.
        shard_bits: Some(2),
        progress: &Silent,
    };
    let shards = gathering.read(rejects, report);
    rejects.report(report);
    let tables = Canonical::of(&shards?.shards)?;
    assert_eq!(tables.check(), Ok(()));
    Ok(tables)
}
