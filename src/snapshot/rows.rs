//! Looking at many rows at once.

use rayon::prelude::*;

/// Rows that one task checks; fewer where the rows are few, such as shelves, and one is work enough.
const ROWS_PER_TASK: usize = 1 << 14;
/// Into so many tasks few rows are cut.
const TASKS: usize = 256;

/// The first row for which `holds` is false.
pub(crate) fn first_bad(rows: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let rows_per_task = (rows / TASKS).clamp(1, ROWS_PER_TASK);
    (0..rows).into_par_iter().with_min_len(rows_per_task).find_first(|&row| !holds(row))
}
