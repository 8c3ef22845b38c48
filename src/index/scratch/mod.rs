//! Temporary data of a build: columns, byte streams and external sorts.
//!
//! Data stays in memory while it is small and goes to files below one folder from then on, so a small build runs the
//! same code as a large one without touching the disk. Files are read and never mapped, so that a bound on memory
//! holds. A file is removed when its reader is dropped. Results depend neither on the bound nor on the number of
//! threads.

mod columns;
mod files;
mod sort;
mod texts;

pub use self::sort::{Merge, Stream};
pub use columns::{TempColumn, TempColumns, TempReader};
pub use files::Scratch;
pub use sort::{Sorted, Sorter};
pub use texts::{SortedTexts, TextSorter};
