//! Progress of a build: a bar for each stage on a terminal, log lines otherwise.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::ingest::Progress;

/// Time between two redraws of a bar.
const TICK: Duration = Duration::from_millis(100);
/// Minimum time between two log lines about one stage.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// Creates bars if standard error is a terminal, else log lines.
pub fn watch() -> Box<dyn Progress> {
    if io::stderr().is_terminal() { Box::new(Bars::default()) } else { Box::new(Lines::default()) }
}

/// State of a stage.
struct Stage {
    name: String,
    parts: Option<(u64, &'static str)>,
    done: u64,
    rows: u64,
    began: Instant,
}

impl Stage {
    fn begin(name: &str, parts: Option<(u64, &'static str)>) -> Self {
        Self { name: name.to_owned(), parts, done: 0, rows: 0, began: Instant::now() }
    }
}

/// The work done so far: `3 of 60 files, 1200 rows`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.parts, self.rows) {
            (Some((total, parts)), 0) => write!(f, "{} of {total} {parts}", self.done),
            (Some((total, parts)), rows) => write!(f, "{} of {total} {parts}, {rows} rows", self.done),
            (None, 0) => Ok(()),
            (None, rows) => write!(f, "{rows} rows"),
        }
    }
}

/// One log line at the beginning of a stage, and then at most one per `SILENCE_MAX` while it runs.
#[derive(Default)]
pub struct Lines(Mutex<Option<(Stage, Instant)>>);

impl Lines {
    fn with(&self, change: impl FnOnce(&mut Stage)) {
        if let Some((stage, said)) = hold(&self.0).as_mut() {
            change(stage);
            if said.elapsed() >= SILENCE_MAX {
                *said = Instant::now();
                tracing::info!(
                    "building: {}, {stage}, for {} s",
                    stage.name,
                    stage.began.elapsed().as_secs()
                );
            }
        }
    }
}

impl Progress for Lines {
    fn stage(&self, name: &str, parts: Option<(u64, &'static str)>) {
        tracing::info!("building: {name}");
        *hold(&self.0) = Some((Stage::begin(name, parts), Instant::now()));
    }

    fn part(&self) {
        self.with(|stage| stage.done += 1);
    }

    fn rows(&self, rows: u64) {
        self.with(|stage| stage.rows += rows);
    }
}

/// A bar per stage.
#[derive(Default)]
struct Bars(Mutex<Option<(ProgressBar, Stage)>>);

impl Bars {
    fn with(&self, change: impl FnOnce(&ProgressBar, &mut Stage)) {
        if let Some((bar, stage)) = hold(&self.0).as_mut() {
            change(bar, stage);
            bar.set_message(stage.to_string());
        }
    }

    fn end(bar: Option<(ProgressBar, Stage)>) {
        if let Some((bar, stage)) = bar {
            bar.finish_and_clear();
            let (said, seconds) = (stage.to_string(), stage.began.elapsed().as_secs_f64());
            // A terminal that was closed is not a reason to stop.
            let _ = writeln!(io::stderr(), "  {:<21} {said:>36}  {seconds:>7.2} s", stage.name);
        }
    }
}

impl Progress for Bars {
    fn stage(&self, name: &str, parts: Option<(u64, &'static str)>) {
        let (bar, template) = match parts {
            Some((total, _)) => (ProgressBar::new(total), "  {prefix:<21} {wide_bar} {msg} {eta}"),
            None => (ProgressBar::new_spinner(), "  {prefix:<21} {spinner} {msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(TICK);
        Self::end(hold(&self.0).replace((bar, Stage::begin(name, parts))));
    }

    fn part(&self) {
        self.with(|bar, stage| {
            bar.inc(1);
            stage.done += 1;
        });
    }

    fn rows(&self, rows: u64) {
        self.with(|_, stage| stage.rows += rows);
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        Self::end(hold(&self.0).take());
    }
}

/// Locks the state. A panic under the lock leaves the state consistent.
fn hold<T>(watched: &Mutex<T>) -> MutexGuard<'_, T> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_says_what_is_done_of_it() {
        let mut stage = Stage::begin("validating", Some((60, "files")));
        (stage.done, stage.rows) = (3, 1_200);
        assert_eq!(stage.to_string(), "3 of 60 files, 1200 rows");
        let stage = Stage { parts: None, rows: 0, ..stage };
        assert_eq!(stage.to_string(), "");
    }

    #[test]
    fn lines_and_bars_count_alike() {
        let (lines, bars) = (Lines::default(), Bars::default());
        for progress in [&lines as &dyn Progress, &bars] {
            progress.stage("merging", Some((2, "shards")));
            progress.rows(7);
            progress.part();
        }
        let said = "1 of 2 shards, 7 rows";
        assert_eq!(hold(&lines.0).as_ref().map(|(stage, _)| stage.to_string()).as_deref(), Some(said));
        assert_eq!(hold(&bars.0).as_ref().map(|(_, stage)| stage.to_string()).as_deref(), Some(said));
    }
}
