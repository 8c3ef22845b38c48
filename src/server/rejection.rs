//! Rejection of a snapshot: a reason as a word for metrics, and a sentence for the operator.

/// Reason why a snapshot is not put in use, or is taken out of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotRefusal {
    /// `CURRENT` or `accept` cannot be read, or contains a name that is not a snapshot id.
    Unreadable,
    /// The snapshot does not exist, is damaged, or has another format.
    Unsound,
    /// An endpoint fails on the snapshot.
    FailsExamples,
    /// The snapshot contains much less data than the snapshot in use, or is older.
    FallsBehind,
    /// The files of the snapshot changed while it was in use.
    Changed,
}

impl SnapshotRefusal {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::Unreadable, Self::Unsound, Self::FailsExamples, Self::FallsBehind, Self::Changed];

    /// The value of the reason in metrics and in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Unsound => "unsound",
            Self::FailsExamples => "fails_examples",
            Self::FallsBehind => "falls_behind",
            Self::Changed => "changed",
        }
    }

    /// The rejection with this reason and a sentence for the operator.
    pub(super) const fn because(self, said: String) -> RejectedSnapshot {
        RejectedSnapshot { refusal: self, said }
    }
}

/// A snapshot that cannot be put in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{said}")]
pub struct RejectedSnapshot {
    /// The reason.
    pub refusal: SnapshotRefusal,
    /// The sentence for the operator.
    pub said: String,
}
