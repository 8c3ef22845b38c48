//! A set of lines of a file, a bit each.

use std::collections::BTreeMap;

/// Lines of a page.
const PAGE_LINES: u64 = 1 << 15;

/// Lines of a file. What lies together takes a bit a line.
#[derive(Debug, Default)]
pub(in crate::index) struct LineSet {
    pages: BTreeMap<u64, Box<[u64]>>,
}

impl LineSet {
    /// Adds a line.
    pub(in crate::index) fn insert(&mut self, line: u64) {
        let empty = || vec![0; (PAGE_LINES / 64) as usize].into_boxed_slice();
        let page = self.pages.entry(line / PAGE_LINES).or_insert_with(empty);
        page[(line % PAGE_LINES / 64) as usize] |= 1 << (line % 64);
    }

    /// Whether a line is in it.
    pub(in crate::index) fn contains(&self, line: u64) -> bool {
        let page = self.pages.get(&(line / PAGE_LINES));
        page.is_some_and(|page| page[(line % PAGE_LINES / 64) as usize] & (1 << (line % 64)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_it_or_not() {
        let (mut set, lines) = (LineSet::default(), [1, 63, 64, 32_767, 32_768, 1 << 40, u64::MAX]);
        for line in lines {
            assert!(!set.contains(line), "{line}");
            set.insert(line);
        }
        let around = lines.iter().flat_map(|line| [line.wrapping_sub(1), *line, line.wrapping_add(1)]);
        assert!(around.into_iter().all(|line| set.contains(line) == lines.contains(&line)));
    }
}
