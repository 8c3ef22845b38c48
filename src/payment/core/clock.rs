//! The wall clock, for the only room below the pipeline that needs one: payments have windows.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
///
/// # Panics
/// On a machine whose clock is before 1970: no payment gets a moment that is made up.
pub fn unix_millis() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock that is past 1970");
    u64::try_from(age.as_millis()).expect("a clock before the year 584554049")
}

/// Seconds since 1970.
pub fn unix_seconds() -> u64 {
    unix_millis() / 1_000
}
