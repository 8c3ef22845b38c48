//! A file that looks as it did is not read again, and one that may have changed is.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;
use crate::index::runs::{KNOWN_FOLDER, RUN_FOLDER};
use crate::ingest::{Arguments, Progress, Silent, Spool, find};

const ROWS_OF_IT: &str = "country,platform,product_id,date,price\nus,acme,1,2026-10-31,4.99\n";

struct Place {
    dir: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        let store = Store::open(dir.path().join("runs").to_str().unwrap()).unwrap();
        Self { dir, store }
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join("in/observations.csv")
    }

    /// Writes the file as if that had been a while ago.
    fn write(&self, text: &str, seconds_ago: u64) {
        fs::write(self.path(), text).unwrap();
        touch(&self.path(), seconds_ago);
    }

    fn file(&self) -> InputFile {
        let arguments = Arguments::folders([self.dir.path().join("in")]);
        find(&arguments, &Spool::new(self.dir.path())).unwrap().observations.remove(0)
    }

    fn validation<'a>(&'a self, rehash: bool, progress: &'a dyn Progress) -> Validation<'a> {
        let (store, scratch) = (&self.store, self.dir.path());
        Validation { store, scratch, memory: 1 << 28, newest: false, rehash, progress }
    }

    fn run_of(&self, rehash: bool) -> RunOf {
        self.validation(rehash, &Silent).run_of(&self.file()).unwrap()
    }
}

fn touch(path: &Path, seconds_ago: u64) {
    let at = SystemTime::now() - Duration::from_secs(seconds_ago);
    File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(at)).unwrap();
}

/// Makes it look as if a file had been remembered, though it was touched just now: its time of change cannot be set.
fn remember(place: &Place, run: &str) -> String {
    let known = place.validation(false, &Silent).known(&place.file()).unwrap().name.unwrap();
    place.store.create(&format!("{KNOWN_FOLDER}/{known}"), run.as_bytes()).unwrap();
    known
}

#[test]
fn rereads_recently_modified_files() {
    let place = Place::new();
    place.write(ROWS_OF_IT, 0);
    let first = place.run_of(false);
    assert_eq!((first.reused, &first.known), (false, &None));
    let again = place.run_of(false);
    assert_eq!((again.name, again.reused, again.known), (first.name, true, None));
    assert_eq!(place.store.list(KNOWN_FOLDER).unwrap().len(), 0);
}

#[test]
fn does_not_reread_known_files() {
    let place = Place::new();
    place.write(ROWS_OF_IT, 60);
    let first = place.run_of(false);
    let known = remember(&place, &first.name);
    // Nobody can read it, and nobody has to.
    let unread = Validation { scratch: Path::new("/nowhere"), ..place.validation(false, &Silent) };
    let found = unread.run_of(&place.file()).unwrap();
    assert_eq!(
        (found.name.as_str(), found.reused, found.known.as_deref()),
        (&*first.name, true, Some(&*known))
    );
    assert_eq!(
        place.validation(true, &Silent).known(&place.file()).unwrap().run,
        None,
        "nothing is believed"
    );
    // A run that is gone is judged again, and what is no name is none.
    place.store.remove(&format!("{RUN_FOLDER}/{}/{}", first.name, crate::index::runs::RUN_JSON)).unwrap();
    assert!(!place.run_of(false).reused);
    place.store.remove(&format!("{KNOWN_FOLDER}/{known}")).unwrap();
    place.store.create(&format!("{KNOWN_FOLDER}/{known}"), b"../../elsewhere").unwrap();
    assert_eq!(place.validation(false, &Silent).known(&place.file()).unwrap().run, None);
}

#[test]
fn a_file_that_looks_otherwise_is_another() {
    let place = Place::new();
    place.write(ROWS_OF_IT, 60);
    let known = |place: &Place| place.validation(false, &Silent).known(&place.file()).unwrap().name;
    let first = known(&place);
    assert_eq!(known(&place), first);
    touch(&place.path(), 61);
    let older = known(&place);
    assert_ne!(older, first);
    place.write(&format!("{ROWS_OF_IT}us,acme,2,2026-10-31,1\n"), 61);
    assert_ne!(known(&place), older);
    let newest = Validation { newest: true, ..place.validation(false, &Silent) };
    assert_eq!(newest.known(&place.file()).unwrap().name, known(&place), "no listing is read");
}

/// Writes to a file whenever it is told that rows were read.
struct Writes<'a>(&'a Place, std::sync::atomic::AtomicU32, u32);

impl Progress for Writes<'_> {
    fn stage(&self, _: &str, _: Option<(u64, &'static str)>) {}
    fn part(&self) {}
    fn rows(&self, _: u64) {
        let times = self.1.fetch_add(1, Ordering::Relaxed);
        if times < self.2 {
            self.0.write(&format!("{ROWS_OF_IT}us,acme,2,2026-10-31,{}\n", times + 1), 60);
        }
    }
}

#[test]
fn a_file_that_changes_while_it_is_judged_is_judged_again() {
    for (times, is_validated) in [(1, true), (2, true), (3, false)] {
        let place = Place::new();
        place.write(ROWS_OF_IT, 60);
        let writes = Writes(&place, 0.into(), times);
        let run = place.validation(false, &writes).run_of(&place.file());
        assert_eq!(run.is_ok(), is_validated, "{times}");
        match run {
            Ok(run) => {
                assert_eq!(run.name, run_name(&place.file(), false).unwrap());
                let run = Run::open(&place.store, &run.name).unwrap();
                assert_eq!(run.meta().members[0].observation_rows, 2);
            }
            Err(error) => assert!(error.to_string().contains("changed while it was read"), "{error}"),
        }
    }
}
