//! What survives SIGKILL, builds and the ledger, what SIGTERM leaves behind, and what ends with a sentence. Apart from
//! the other tests, since they start and kill processes.

#![allow(clippy::unwrap_used, clippy::format_push_string)]

mod builds;
#[path = "../it/support/crafted.rs"]
#[allow(dead_code, unreachable_pub)]
mod crafted;
mod failing_disk;
mod ledger;
mod lost_file;
mod process;
mod soak;
mod stopped;
