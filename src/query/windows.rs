//! The parameters that choose a window, read together.

use super::descriptor::PriceClass;
use super::params::{BadParameter, Kind, Param, Reader};
use crate::types::window::SPAN_DAYS_MAX;
use crate::types::{Granularity, Preset, Window, WindowArgs};

/// Windows longer than this are deep reads, in days.
pub const DEEP_SPAN_DAYS: i32 = 180;
/// The deep reads of an endpoint whose long windows are some.
pub const DEEP_WINDOWS: &str = "windows longer than 180 days";

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

/// Reads `granularity`.
pub fn read_granularity(reader: &mut Reader<'_>) -> Option<Granularity> {
    reader.word(&GRANULARITY, Granularity::parse)
}

/// Reads the window, with `lookback_days` where the endpoint takes it. Where a fault was recorded it is the default one.
pub fn read(reader: &mut Reader<'_>, has_lookback: bool) -> Window {
    let args = WindowArgs {
        time_window: reader.word(&TIME_WINDOW, Preset::parse),
        from: reader.date(&FROM),
        to: reader.date(&TO),
        lookback_days: if has_lookback { reader.integer(&LOOKBACK_DAYS) } else { None },
    };
    Window::resolve(args, reader.as_of()).unwrap_or_else(|faults| {
        // A bound that was given but is not a date has its own fault already; it is not missing.
        for fault in faults {
            reader.reject(BadParameter::new(fault.parameter, fault.reason));
        }
        Window::of_preset(Preset::Last30Days, reader.as_of())
    })
}

/// Price class of a request whose windows of more than `days_max` days are deep reads.
pub fn price(window: &Window, days_max: i32, usual: PriceClass) -> PriceClass {
    if window.span_days() > days_max { PriceClass::Deep } else { usual }
}
