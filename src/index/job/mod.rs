//! A build as tasks that an engine starts on many machines (`docs/engine/spark.py`).
//!
//! ```text
//! plan validate ─▶ tasks, one file each ─▶ plan merge ─▶ tasks, one shard each ─▶ write
//! ```
//!
//! The plan lies in the store. It says what is read and where runs lie; a task is a number in it. Engines keep tasks
//! and argument lists in logs that many people read, so secrets such as the keys in web addresses are in the plan and
//! not in the arguments of a task.
//!
//! Tasks share a store and nothing else, and take no lock. A task may run several times, also concurrently: work that
//! is done is skipped, and equal tasks write equal bytes. The exit code of a task tells the engine whether to try it
//! again (`docs/engine.md`).

mod plan;
mod steps;

pub use plan::{JobPlan, PlannedMerge, WrongVersion, everywhere};
pub use steps::{
    DoneTask, LeftTask, MERGE_TASK_VERSION, StepContext, VALIDATE_TASK_VERSION, merge, plan_merge,
    plan_validate, validate,
};
