//! What a build tells whoever shows its progress.

/// What a build tells whoever watches it. Drawing is somebody else's business.
pub trait Progress: Sync {
    /// A stage begins; of so many parts (and what they are) where that is known.
    fn stage(&self, name: &str, parts: Option<(u64, &'static str)>);
    /// One more part of the current stage is done.
    fn part(&self);
    /// So many more rows were read.
    fn rows(&self, rows: u64);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _parts: Option<(u64, &'static str)>) {}
    fn part(&self) {}
    fn rows(&self, _rows: u64) {}
}
