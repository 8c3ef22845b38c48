//! A build as tasks, which an engine starts wherever it likes: the plan says what is read and where runs lie, tasks are
//! numbers in it.
//!
//! ```text
//! plan judge ─▶ tasks, a file each ─▶ plan merge ─▶ tasks, a shard each ─▶ pack
//! ```
//!
//! Tasks share a store and nothing else. Each may run as often as one likes, at once too: what is done is done, and equal
//! tasks write equal bytes. Engines keep tasks and argument lists in logs and show them to many, so what a task needs is
//! in the plan, which lies where the store lies.

mod plan;
mod steps;

pub use plan::{JobPlan, PlannedMerge, WrongVersion, everywhere};
pub use steps::{
    DoneTask, JobRoom, LeftTask, MERGE_TASK_VERSION, VALIDATE_TASK_VERSION, merge, plan_merge, plan_validate,
    validate,
};
