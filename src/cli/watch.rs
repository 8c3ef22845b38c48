//! `pricebook build --watch`: builds each time the input has changed and settled.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use xxhash_rust::xxh3::xxh3_64;

use crate::ingest::{self, Arguments, Spool};
use crate::snapshot::pointer_lock::is_held;
use crate::store::is_address;

/// Polling interval of local files.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Polling interval if a part of the input is remote.
const LOOK_AFAR_EVERY: Duration = Duration::from_mins(1);

/// State of an input file, compared to detect changes: its name, its length, and its modification time or a hash. The
/// hash is of the ETag of a remote file or of the bytes of a copy.
type FileVersion = (String, u64, u64);

/// State of all input files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InputState {
    files: Vec<FileVersion>,
}

/// Decides when to build.
struct Watch {
    settle: Duration,
    /// The most recent state, and the time at which it was first seen.
    now: Option<(InputState, Instant)>,
    /// The state at the last attempt to build.
    attempted: Option<InputState>,
}

impl Watch {
    /// Records the state seen at `at`. Returns true if the state is unchanged for the settling time and differs from
    /// the state of the last attempt; the caller must then build, and the state counts as attempted.
    fn is_due(&mut self, state: InputState, at: Instant) -> bool {
        match &self.now {
            Some((known, since)) if *known == state => {
                let due = at.duration_since(*since) >= self.settle && self.attempted.as_ref() != Some(&state);
                if due {
                    self.attempted = Some(state);
                }
                due
            }
            _ => {
                self.now = Some((state, at));
                false
            }
        }
    }
}

/// Polls the input and builds each time it has changed and settled. Remote files whose content is needed are copied
/// into `scratch`. A failed build is logged. It is repeated after the next change of the input, or at the next poll if
/// another process held the lock of the snapshots.
///
/// # Errors
/// Does not return an error: it runs until the process ends.
pub(super) fn watch(
    arguments: &Arguments,
    scratch: &Path,
    settle: Duration,
    mut build: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let afar = arguments.all().iter().any(|argument| is_address(argument));
    let every = if afar { LOOK_AFAR_EVERY } else { LOOK_EVERY };
    let mut watch = Watch { settle, now: None, attempted: None };
    tracing::info!(
        "watching the input: a build starts when the input is unchanged for {} s",
        settle.as_secs()
    );
    loop {
        match state(arguments, scratch) {
            Ok(state) => {
                if watch.is_due(state, Instant::now())
                    && let Err(error) = build()
                {
                    tracing::error!("{error:#}; the current snapshot stays in use");
                    if is_held(&error) {
                        watch.attempted = None;
                    }
                }
            }
            Err(error) => tracing::warn!("the input cannot be listed: {error:#}"),
        }
        thread::sleep(every.min(settle.max(Duration::from_millis(100))));
    }
}

/// Returns the current state of the input.
fn state(arguments: &Arguments, scratch: &Path) -> anyhow::Result<InputState> {
    let found = ingest::find(arguments, &Spool::new(scratch))?;
    let mut files = Vec::new();
    for file in found.listings.iter().chain(&found.observations) {
        files.push(match &file.remote {
            Some(remote) => {
                let (bytes, etag) = remote.version();
                (remote.url().to_owned(), bytes, xxh3_64(etag.unwrap_or_default().as_bytes()))
            }
            None => file_version(&file.path)?,
        });
    }
    for file in found.gpc.iter().chain(&found.aliases).chain(&found.category_gpc) {
        // Each poll makes a new copy with a new modification time, so the bytes are compared. These files are small.
        let is_copy = file.path.starts_with(scratch);
        files.push(if is_copy {
            (file.name.clone(), 0, xxh3_64(&fs::read(&file.path)?))
        } else {
            file_version(&file.path)?
        });
    }
    for unread in &found.unread {
        files.extend(file_version(&unread.path));
    }
    files.sort_unstable();
    files.dedup();
    Ok(InputState { files })
}

fn file_version(path: &Path) -> anyhow::Result<FileVersion> {
    let about = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    let modified = about.mtime().wrapping_mul(1_000_000_000).wrapping_add(about.mtime_nsec());
    Ok((path.to_string_lossy().into_owned(), about.len(), modified.cast_unsigned()))
}

/// Adds the folder of `--watch`, if it names one, to the inputs.
pub(super) fn with_folder(mut arguments: Arguments, folder: Option<&PathBuf>) -> Arguments {
    arguments.inputs.extend(folder.cloned());
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_due_once_when_what_changed_has_settled() {
        let state = |bytes| InputState { files: vec![("a.csv".to_owned(), bytes, 7)] };
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut watch = Watch { settle: Duration::from_secs(10), now: None, attempted: None };
        let due: Vec<bool> =
            [(0, 1), (5, 1), (10, 1), (12, 1), (30, 1), (40, 2), (49, 3), (58, 3), (59, 3), (99, 3)]
                .map(|(seconds, bytes)| watch.is_due(state(bytes), at(seconds)))
                .to_vec();
        assert_eq!(due, [false, false, true, false, false, false, false, false, true, false]);
        assert!(
            !watch.is_due(state(2), at(100)) && watch.is_due(state(2), at(110)),
            "back to what it was before"
        );
    }
}
