//! The wall clock, for the only room below the pipeline that needs one: payments have windows.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn unix_millis() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
}

/// Seconds since 1970.
pub fn unix_seconds() -> u64 {
    unix_millis() / 1_000
}
