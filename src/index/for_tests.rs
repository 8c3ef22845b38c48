//! What tests of packing begin with.

use std::path::Path;

use super::memory::MEMORY_BYTES_MIN;
use super::normalized::Canonical;
use super::pipeline::PipelineOptions;
use crate::ingest::{Arguments, InputReport, RejectWriter, Silent, Spool};
use crate::store::Store;

/// The clean tables of an input in the form of the contract.
pub(super) fn tables(input: &Path) -> Canonical {
    let scratch = tempfile::tempdir().unwrap();
    let gathering = PipelineOptions {
        arguments: &Arguments::folders([input]),
        gpc: None,
        lexicon: None,
        spool: &Spool::new(scratch.path()),
        store: &Store::open(&scratch.path().join("runs").to_string_lossy()).unwrap(),
        scratch: scratch.path(),
        memory: MEMORY_BYTES_MIN,
        rehash: false,
        shard_bits: Some(1),
        progress: &Silent,
    };
    let output = gathering.read(&mut RejectWriter::discard(), &mut InputReport::default());
    Canonical::of(&output.unwrap().shards).unwrap()
}
