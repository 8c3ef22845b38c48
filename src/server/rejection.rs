//! Why a snapshot is not served: in a word that is counted, and in a sentence for the operator.

/// Why a snapshot is not put in use, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotRefusal {
    /// `CURRENT` or `accept` cannot be read, or names what is no id of a snapshot.
    Unreadable,
    /// It is not there, is damaged, or is of another format.
    Unsound,
    /// An endpoint fails on it.
    FailsExamples,
    /// It holds much less than the one in use, or is older.
    FallsBehind,
    /// Its files changed while it was in use.
    Changed,
}

impl SnapshotRefusal {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Unreadable, Self::Unsound, Self::FailsExamples, Self::FallsBehind, Self::Changed];

    /// The word for it, as metrics and the log have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Unsound => "unsound",
            Self::FailsExamples => "fails_examples",
            Self::FallsBehind => "falls_behind",
            Self::Changed => "changed",
        }
    }

    /// With the sentence for the operator.
    pub(super) const fn because(self, said: String) -> RejectedSnapshot {
        RejectedSnapshot { refusal: self, said }
    }
}

/// A snapshot that cannot be put in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{said}")]
pub struct RejectedSnapshot {
    /// Why, in a word.
    pub refusal: SnapshotRefusal,
    /// Why, in a sentence.
    pub said: String,
}
