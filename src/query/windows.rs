//! The parameters that choose a window, read together.

use super::params::{BadParameter, Kind, Param, Reader};
use crate::types::window::SPAN_DAYS_MAX;
use crate::types::{Granularity, Preset, Window, WindowArgs};

/// `time_window`.
pub static TIME_WINDOW: Param = Param {
    name: "time_window",
    kind: Kind::Word(
        &[
            "last_30_days",
            "last_60_days",
            "last_90_days",
            "month_to_date",
            "previous_month",
            "month_over_month",
            "quarter_to_date",
            "custom",
        ],
        None,
    ),
    about: "Window by name, counted back from the snapshot's now; without it and without dates last_30_days. \
            custom requires from and to.",
};
/// `from`.
pub static FROM: Param =
    Param { name: "from", kind: Kind::Date, about: "First day of the window; wins over time_window." };
/// `to`.
pub static TO: Param =
    Param { name: "to", kind: Kind::Date, about: "Day after the last of the window; wins over time_window." };
/// `lookback_days`.
pub static LOOKBACK_DAYS: Param = Param {
    name: "lookback_days",
    kind: Kind::Integer { min: 1, max: SPAN_DAYS_MAX as u32, default: None },
    about: "Window of this many days up to the snapshot's now; wins over time_window, yields to from and to.",
};
/// `granularity`.
pub static GRANULARITY: Param = Param {
    name: "granularity",
    kind: Kind::Word(&["daily", "weekly", "monthly"], None),
    about: "Length of the periods: UTC days, ISO weeks or calendar months. Without it daily up to 31 days, weekly \
            up to 180, else monthly.",
};

/// Reads the window; `None` only when a fault was recorded.
pub fn read(reader: &mut Reader<'_>) -> Option<Window> {
    read_with(reader, false)
}

/// Reads the window of an endpoint that takes `lookback_days` too.
pub fn read_with_lookback(reader: &mut Reader<'_>) -> Option<Window> {
    read_with(reader, true)
}

/// Reads `granularity`.
pub fn read_granularity(reader: &mut Reader<'_>) -> Option<Granularity> {
    reader.word(&GRANULARITY, Granularity::parse)
}

fn read_with(reader: &mut Reader<'_>, lookback: bool) -> Option<Window> {
    let args = WindowArgs {
        time_window: reader.word(&TIME_WINDOW, Preset::parse),
        from: reader.date(&FROM),
        to: reader.date(&TO),
        lookback_days: if lookback { reader.integer(&LOOKBACK_DAYS) } else { None },
    };
    match Window::resolve(args, reader.as_of()) {
        Ok(window) => Some(window),
        Err(faults) => {
            // A bound that was given but is not a date has its own fault already; it is not missing.
            for fault in faults {
                reader.reject(BadParameter::new(fault.parameter, fault.reason));
            }
            None
        }
    }
}
