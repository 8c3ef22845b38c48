//! Showing a build's progress: bars on a terminal, plain lines otherwise.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::build::Progress;

/// Time between two redraws of a bar.
const TICK: Duration = Duration::from_millis(100);

/// The progress that suits standard error.
pub fn watch() -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() { Box::new(Bars::default()) } else { Box::new(Lines) }
}

/// One line per stage, in the log.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines;

impl Progress for Lines {
    fn stage(&self, name: &str, _: Option<u64>) {
        tracing::info!("building: {name}");
    }

    fn advance(&self, _: u64) {}
}

/// A bar per stage.
#[derive(Default)]
struct Bars(Mutex<Option<(ProgressBar, String, Instant)>>);

impl Bars {
    fn end(bar: Option<(ProgressBar, String, Instant)>) {
        if let Some((bar, name, began)) = bar {
            let rows = match bar.position() {
                0 => String::new(),
                rows => format!("{rows} rows"),
            };
            bar.finish_and_clear();
            // A terminal that went away is no reason to stop.
            let _ =
                writeln!(io::stderr(), "  {name:<16} {rows:>16}  {:>6.2} s", began.elapsed().as_secs_f64());
        }
    }
}

impl Progress for Bars {
    fn stage(&self, name: &str, total: Option<u64>) {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        let template = match total {
            Some(_) => "  {msg:<16} {wide_bar} {human_pos}/{human_len} rows {eta}",
            None => "  {msg:<16} {spinner} {human_pos} rows",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(TICK);
        if let Ok(mut current) = self.0.lock() {
            Self::end(current.replace((bar, name.to_owned(), Instant::now())));
        }
    }

    fn advance(&self, rows: u64) {
        if let Ok(current) = self.0.lock()
            && let Some((bar, ..)) = current.as_ref()
        {
            bar.inc(rows);
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        if let Ok(mut current) = self.0.lock() {
            Self::end(current.take());
        }
    }
}
