//! What the path of a file says of it.

use std::path::{Component, Path};

use percent_encoding::percent_decode_str;

use super::files::Holds;
use super::format::Format;
use crate::ingest::mapping::InputTable;

/// What stands for a missing value in a `key=value` folder.
const HIVE_MISSING: &str = "__HIVE_DEFAULT_PARTITION__";
/// What the name of a file says that it holds, or that of the nearest folder which says anything.
pub(super) fn named(path: &Path) -> Option<Holds> {
    let is = |name: &str, table: InputTable| name.eq_ignore_ascii_case(table.as_str());
    let holds = |name: &str| {
        let tables =
            [(InputTable::Listings, Holds::Listings), (InputTable::Observations, Holds::Observations)];
        tables.into_iter().find(|(table, _)| is(name, *table)).map(|(_, holds)| holds)
    };
    let name = path.file_name()?.to_string_lossy();
    let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
    holds(stem).or_else(|| {
        let folders = path.parent()?.components().rev();
        folders.into_iter().find_map(|folder| {
            let folder = folder.as_os_str().to_string_lossy();
            // Spark makes a folder of what it is told to write: `observations.csv/part-00000.csv`.
            let stem = folder.split_once('.').filter(|_| Format::of_name(&folder).is_some());
            holds(stem.map_or(&*folder, |(stem, _)| stem))
        })
    })
}

/// The folders of a path that are written `key=value`, with their values decoded.
pub(super) fn keys(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let key = |folder: Component<'_>| {
        let folder = folder.as_os_str().to_string_lossy();
        let (key, value) = folder.split_once('=')?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().trim().to_owned();
        let key = decoded(key);
        let value = if value == HIVE_MISSING { String::new() } else { decoded(value) };
        Some((if key.eq_ignore_ascii_case("dt") { "date".to_owned() } else { key }, value))
    };
    folders.filter_map(key).collect()
}

pub(super) fn is_partitioned(path: &Path) -> bool {
    !keys(path).is_empty()
}
