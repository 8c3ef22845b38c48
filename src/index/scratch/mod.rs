//! What a build keeps on the disk while it works: temporary columns and external sorts.
//!
//! All of it stays in memory while it is small and goes to files below one folder from then on; files are read, never
//! mapped, so that a bound on memory holds, and go when what reads them is dropped. What comes out hangs neither on
//! the bound nor on the number of threads.

mod columns;
mod files;
mod merge;
mod sort;
mod texts;

pub use columns::{TempColumn, TempColumns, TempReader};
pub use files::Scratch;
pub use merge::{Merge, Stream};
pub use sort::{Sorted, Sorter};
pub use texts::{SortedTexts, TextSorter};
