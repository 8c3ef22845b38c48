//! The manifest: a description of a snapshot, with the length and the checksums of each of its files.
//!
//! `manifest.json` is also meant to be read by people. Its own checksum is in a separate file, so that every byte of
//! a snapshot directory is covered. A file that the manifest does not list makes the snapshot invalid.
//!
//! Snapshots are not migrated when their format changes ([`FORMAT_VERSION`]), because their input still exists. A
//! snapshot of another format is rejected with the command that rebuilds it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::blocks::{self, BLOCK_BYTES, Written};
pub use super::columns::Verification;
use super::mapped::{Mapping, Residence};
use super::safe_open;

/// The version of the format that this program writes and reads.
pub const FORMAT_VERSION: u32 = 10;
/// Name of the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Name of the manifest's checksum.
pub const MANIFEST_CHECKSUM: &str = "manifest.json.xxh3";
/// The maximum size of a manifest, in bytes.
pub const MANIFEST_BYTES_MAX: u64 = 16 << 20;
/// The maximum number of faults of a kind that are listed individually. Further faults are only counted.
const FAULTS_NAMED_MAX: usize = 10;

/// The description of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub format_version: u32,
    /// Id of the snapshot, which is also the name of its directory.
    pub id: String,
    /// As-of date of the snapshot: the day (UTC) after its last observation.
    pub as_of: String,
    /// Version of the response schema.
    pub schema_version: String,
    /// Release of the classification publication; null if there is none.
    pub classification_release: Option<String>,
    /// Numbers of listings, observations and other contents.
    pub counts: Counts,
    /// Statistics of the likely links; null if they were not computed.
    pub linking: Option<LinkingCounts>,
    /// All files of the directory except the manifest and its checksum.
    pub files: Vec<FileEntry>,
}

/// The only field that manifests of all versions have.
#[derive(Deserialize)]
struct Version {
    format_version: u32,
}

/// Numbers of listings, observations and other contents of a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Counts {
    pub listings: u64,
    pub observations: u64,
    pub entities: u64,
    pub platforms: u64,
    pub brands: u64,
    pub categories: u64,
}

/// Statistics of the likely links of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkingCounts {
    /// Listings without a usable barcode.
    pub listings_without_barcode: u64,
    /// Listings with a likely link.
    pub linked_listings: u64,
    /// Likely links: unordered pairs of listings of two retailers.
    pub links: u64,
    /// The minimum confidence of a link.
    pub threshold: f64,
    /// Priced listings for which another retailer of the country has a priced listing with the same barcode.
    pub comparable_by_barcode: u64,
    /// Priced listings for which another retailer of the country has a priced listing with the same barcode or a
    /// likely link.
    pub comparable_with_links: u64,
    /// Result of the self-check of the linker.
    pub self_check: SelfCheckCounts,
}

/// The self-check of the linker: it runs on at most 100,000 listings that have a barcode, with the barcode hidden.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfCheckCounts {
    /// Expected pairs: one for each barcode and two retailers of a country that both sell it.
    pub pairs: u64,
    /// Links that were found.
    pub links: u64,
    /// Share of the links whose listings have the same barcode; null below 50 pairs.
    pub precision: Option<f64>,
    /// Share of the pairs that were linked; null below 50 pairs.
    pub recall: Option<f64>,
}

/// One file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path relative to the snapshot's directory.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// XXH3-128 of the checksums of its blocks, 16 bytes each, big-endian, in hexadecimal digits.
    pub root: String,
    /// XXH3-128 of each block of [`BLOCK_BYTES`], in hexadecimal digits. The last block may be shorter.
    pub blocks: Vec<String>,
}

impl FileEntry {
    /// The entry of a file that has just been written.
    pub fn new(name: &str, written: Written) -> Self {
        let root = hex(written.root());
        let blocks = written.blocks.into_iter().map(hex).collect();
        Self { name: name.to_owned(), bytes: written.bytes, root, blocks }
    }

    /// The fault of a block with these bytes; `None` if they have the checksum of the block.
    pub fn block_fault(&self, block: usize, bytes: &[u8]) -> Option<String> {
        self.sum_fault(block, xxh3_128(bytes))
    }

    /// The fault of a block whose bytes have this checksum; `None` if the manifest contains the same checksum.
    pub(super) fn sum_fault(&self, block: usize, sum: u128) -> Option<String> {
        let is_sound = self.blocks.get(block).is_some_and(|known| *known == hex(sum));
        (!is_sound).then(|| {
            let from = block as u64 * BLOCK_BYTES as u64;
            let to = self.bytes.min(from + BLOCK_BYTES as u64);
            format!(
                "{} does not match its checksum in {MANIFEST} (block {block}, bytes {from} to {to})",
                self.name
            )
        })
    }

    /// The fault of the entry itself, independent of the content of the file.
    fn fault(&self) -> Option<String> {
        let name = &self.name;
        if name.split('/').any(|part| part.is_empty() || part.starts_with("..")) {
            return Some(format!("{MANIFEST} lists {name:?}, which is not a file of a snapshot"));
        }
        let sums: Option<Vec<u128>> = self.blocks.iter().map(|block| parse_hex(block)).collect();
        let is_whole = |sums: Vec<u128>| {
            sums.len() as u64 == blocks::blocks_of(self.bytes) && hex(blocks::root(&sums)) == self.root
        };
        let holds = sums.is_some_and(is_whole);
        (!holds).then(|| format!("{MANIFEST}: the block checksums of {name} do not match its root checksum"))
    }
}

/// BLAKE3 of names, lengths and roots of files, in hexadecimal digits. It identifies the content of a snapshot,
/// independent of its id.
pub fn content(files: &[FileEntry]) -> String {
    let mut hash = blake3::Hasher::new();
    for FileEntry { name, bytes, root, .. } in files {
        hash.update(format!("{name}\n{bytes}\n{root}\n").as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

/// Whether `id` is a valid snapshot id: at most 100 letters, digits, `.`, `_` and `-`, without a leading dot, and not
/// a reserved name such as `CURRENT`.
pub fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !id.is_empty()
        && id.len() <= 100
        && !id.starts_with('.')
        && id.bytes().all(plain)
        && !["CURRENT", "PREVIOUS", "accept", "reports", "runs"].contains(&id)
}

/// Reads and checks `manifest.json` of the snapshot in `dir`.
///
/// # Errors
/// Returns an error if the manifest is missing, damaged, or of another format version.
pub fn read(dir: &Path) -> Result<Manifest, String> {
    let json = read_small(&dir.join(MANIFEST))?;
    let checksum = read_small(&dir.join(MANIFEST_CHECKSUM))?;
    if checksum != checksum_line(&json).as_bytes() {
        return Err(format!("{MANIFEST} does not match its checksum in {MANIFEST_CHECKSUM}"));
    }
    let foreign = |fault: serde_json::Error| format!("{MANIFEST} is not a manifest: {fault}");
    let folder = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let anew = format!(
        "build it again from its input: pricebook build --input DIR --out {0} (the demo: pricebook build --demo --out \
         {0})",
        folder.display()
    );
    // The version is read first, because this program does not know the other fields of another version.
    let Version { format_version } = serde_json::from_slice(&json).map_err(foreign)?;
    if format_version != FORMAT_VERSION {
        return Err(format!(
            "{MANIFEST}: format version {format_version} is not the version {FORMAT_VERSION} that this program reads; {anew}"
        ));
    }
    // The manifest may also come from an unreleased program with the same format version.
    let manifest: Manifest = serde_json::from_slice(&json).map_err(|fault| {
        format!("{MANIFEST} is not a manifest of format version {FORMAT_VERSION}: {fault}; {anew}")
    })?;
    if !is_id(&manifest.id) {
        return Err(format!("{MANIFEST}: {:?} is not a snapshot id", manifest.id));
    }
    Ok(manifest)
}

/// Writes `manifest.json` and its checksum into `dir` and flushes them to the disk.
///
/// # Errors
/// Returns an error if the files cannot be written.
pub fn write(dir: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut json = serde_json::to_vec_pretty(manifest)?;
    json.push(b'\n');
    write_synced(&dir.join(MANIFEST), &json)?;
    write_synced(&dir.join(MANIFEST_CHECKSUM), checksum_line(&json).as_bytes())
}

/// Maps every file that the manifest lists. Checks the lengths of all files, and their checksums if `verification`
/// requires it.
///
/// # Errors
/// Returns one sentence per file that is missing, damaged, or not listed in the manifest.
pub fn map_files(
    dir: &Path,
    manifest: &Manifest,
    verification: Verification,
    residence: Residence,
) -> Result<Vec<(String, Mapping)>, Vec<String>> {
    let mut faults = stray_files(dir, manifest);
    let checked: Vec<Result<(String, Mapping), String>> =
        manifest.files.par_iter().map(|entry| map_file(dir, entry, verification, residence)).collect();
    let mut files = Vec::with_capacity(checked.len());
    let unsound: Vec<String> =
        checked.into_iter().filter_map(|result| result.map(|file| files.push(file)).err()).collect();
    faults.extend(first_of(unsound.into_iter()));
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

fn map_file(
    dir: &Path,
    entry: &FileEntry,
    verification: Verification,
    residence: Residence,
) -> Result<(String, Mapping), String> {
    if let Some(fault) = entry.fault() {
        return Err(fault);
    }
    let name = &entry.name;
    let opened = Mapping::open(&dir.join(name), entry.bytes, residence);
    let mapping = opened.map_err(|fault| format!("{name}: {fault}"))?;
    let fault = match verification {
        Verification::Full | Verification::Once => {
            let blocks = mapping.bytes().par_chunks(BLOCK_BYTES).enumerate();
            blocks.filter_map(|(block, bytes)| entry.block_fault(block, bytes)).find_map_first(Some)
        }
        Verification::Lengths => None,
    };
    fault.map_or_else(|| Ok((name.clone(), mapping)), Err)
}

/// Files below `dir` that the manifest does not list.
fn stray_files(dir: &Path, manifest: &Manifest) -> Vec<String> {
    let mut known: BTreeSet<&str> = manifest.files.iter().map(|entry| entry.name.as_str()).collect();
    known.extend([MANIFEST, MANIFEST_CHECKSUM]);
    let strays = list(dir, "").into_iter().filter(|name| !known.contains(name.as_str()));
    first_of(strays.map(|name| format!("{name} is not listed in {MANIFEST}")))
}

/// The first faults of a kind, and the number of further faults. The list is limited, because a directory may contain
/// any number of files.
fn first_of(faults: impl Iterator<Item = String>) -> Vec<String> {
    let mut faults = faults.fuse();
    let mut first: Vec<String> = faults.by_ref().take(FAULTS_NAMED_MAX).collect();
    match faults.count() {
        0 => {}
        more => first.push(format!("and {more} more, {} in total", first.len() + more)),
    }
    first
}

/// Names of the files below `dir`, sorted.
pub fn list(dir: &Path, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(entries) = fs::read_dir(dir) else { return names };
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.extend(list(&entry.path(), &format!("{name}/")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Writes a file and flushes it to the disk.
///
/// # Errors
/// Returns an error if the bytes cannot be written to the disk.
pub fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_small(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    safe_open::read(path, MANIFEST_BYTES_MAX).map_err(|fault| format!("{name}: {fault}"))
}

fn checksum_line(json: &[u8]) -> String {
    hex(xxh3_128(json)) + "\n"
}

fn hex(checksum: u128) -> String {
    format!("{checksum:032x}")
}

/// Parses a checksum in the notation of [`hex`]; `None` for any other notation.
fn parse_hex(text: &str) -> Option<u128> {
    u128::from_str_radix(text, 16).ok().filter(|&checksum| hex(checksum) == text)
}

#[cfg(test)]
pub(super) mod for_tests {
    use super::{Counts, FORMAT_VERSION, Manifest};
    use crate::types::INTERFACE_VERSION;

    /// The manifest of a snapshot without files.
    pub(in crate::snapshot) fn empty_manifest(id: &str) -> Manifest {
        Manifest {
            format_version: FORMAT_VERSION,
            id: id.into(),
            as_of: "2026-10-31".into(),
            schema_version: INTERFACE_VERSION.into(),
            classification_release: None,
            counts: Counts::default(),
            linking: None,
            files: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::for_tests::empty_manifest;
    use super::*;

    fn manifest() -> Manifest {
        empty_manifest("2026-10-31-00000000")
    }

    #[test]
    fn every_flipped_byte_of_the_manifest_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &manifest()).unwrap();
        assert_eq!(read(dir.path()), Ok(manifest()));
        for name in [MANIFEST, MANIFEST_CHECKSUM] {
            let good = fs::read(dir.path().join(name)).unwrap();
            for at in 0..good.len() {
                let mut bad = good.clone();
                bad[at] ^= 0x20;
                fs::write(dir.path().join(name), &bad).unwrap();
                assert!(read(dir.path()).is_err(), "{name} byte {at}");
            }
            fs::write(dir.path().join(name), &good).unwrap();
        }
    }

    #[test]
    fn another_format_version_is_refused_by_number() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &Manifest { format_version: 99, ..manifest() }).unwrap();
        let fault = read(dir.path()).unwrap_err();
        let anew = format!("pricebook build --input DIR --out {}", dir.path().parent().unwrap().display());
        assert!(fault.contains("format version 99") && fault.contains(&anew), "{fault}");
    }

    #[test]
    fn a_manifest_of_another_shape_names_the_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let json = format!(r#"{{"format_version": {FORMAT_VERSION}, "id": "a"}}"#);
        fs::write(dir.path().join(MANIFEST), &json).unwrap();
        fs::write(dir.path().join(MANIFEST_CHECKSUM), checksum_line(json.as_bytes())).unwrap();
        let fault = read(dir.path()).unwrap_err();
        assert!(fault.contains("missing field") && fault.contains("pricebook build"), "{fault}");
        write(dir.path(), &Manifest { format_version: 3, ..manifest() }).unwrap();
        let fault = read(dir.path()).unwrap_err();
        assert!(fault.contains("format version 3") && fault.contains("pricebook build"), "{fault}");
    }

    /// The fault of a file with one byte flipped, after `edit` has changed its entry in the manifest.
    fn fault_of(flip: Option<usize>, edit: impl FnOnce(&mut FileEntry)) -> String {
        let dir = tempfile::tempdir().unwrap();
        let mut bytes = vec![3; 2 * BLOCK_BYTES + 5];
        let mut entry = FileEntry::new("a.cols", Written::of(&bytes));
        edit(&mut entry);
        if let Some(at) = flip {
            bytes[at] ^= 16;
        }
        fs::write(dir.path().join("a.cols"), bytes).unwrap();
        let manifest = Manifest { files: vec![entry], ..manifest() };
        let opened = map_files(dir.path(), &manifest, Verification::Full, Residence::Mapped);
        opened.err().unwrap_or_default().join("; ")
    }

    #[test]
    fn a_flipped_bit_is_found_in_its_block() {
        assert_eq!(fault_of(None, |_| ()), "");
        let blocks = [0, BLOCK_BYTES - 1, BLOCK_BYTES, 2 * BLOCK_BYTES, 2 * BLOCK_BYTES + 4];
        for (at, block) in blocks.into_iter().zip([0, 0, 1, 2, 2]) {
            let fault = fault_of(Some(at), |_| ());
            assert!(
                fault.contains(&format!("a.cols does not match its checksum in {MANIFEST} (block {block},"))
            );
        }
    }

    #[test]
    fn blocks_make_up_the_root() {
        let edits: [fn(&mut FileEntry); 6] = [
            |entry| _ = entry.blocks.pop(),
            |entry| entry.blocks.push(entry.blocks[0].clone()),
            |entry| entry.blocks.swap(0, 2),
            |entry| entry.blocks[1] = "+1".into(),
            |entry| entry.root = entry.blocks[0].clone(),
            |entry| entry.bytes += BLOCK_BYTES as u64,
        ];
        for edit in edits {
            assert!(fault_of(None, edit).contains("block checksums of a.cols do not match its root"));
        }
    }

    #[test]
    fn ten_files_of_a_kind_are_named_and_the_others_counted() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..2_000 {
            fs::write(dir.path().join(format!("stray-{number:04}")), "").unwrap();
        }
        let entry = |number| FileEntry::new(&format!("gone-{number:02}.cols"), Written::of(b"x"));
        let manifest = Manifest { files: (0..11).map(entry).collect(), ..manifest() };
        let faults = map_files(dir.path(), &manifest, Verification::Full, Residence::Mapped).unwrap_err();
        assert_eq!(faults.len(), 22);
        assert_eq!(faults[9], "stray-0009 is not listed in manifest.json");
        assert_eq!(faults[10], "and 1990 more, 2000 in total");
        assert!(faults[20].starts_with("gone-09.cols"), "{faults:?}");
        assert_eq!(faults[21], "and 1 more, 11 in total");
    }

    #[test]
    fn strays_and_missing_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("stray"), "x").unwrap();
        let entry = FileEntry::new("gone.cols", Written::of(b"x"));
        let faults = map_files(
            dir.path(),
            &Manifest { files: vec![entry], ..manifest() },
            Verification::Full,
            Residence::Mapped,
        )
        .unwrap_err();
        assert!(faults[0].starts_with("stray is not listed"), "{faults:?}");
        assert!(faults[1].starts_with("gone.cols"), "{faults:?}");
    }
}
