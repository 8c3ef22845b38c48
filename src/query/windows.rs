//! The parameters that select a window, which are read together.

use super::descriptor::PriceClass;
use super::params::{BadParameter, Kind, Param, Reader};
use crate::types::window::SPAN_DAYS_MAX;
use crate::types::{Granularity, Preset, Window, WindowArgs};

/// Maximum length of a window that is not a deep read, in days.
pub const DEEP_SPAN_DAYS: i32 = 180;
/// Text for the field `deep` of the descriptors of endpoints whose long windows are deep reads.
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
    about: "Name of the window, counted back from the snapshot's now; last_30_days if neither it nor dates are \
            given. custom requires from and to.",
};
/// `from`.
pub static FROM: Param =
    Param { name: "from", kind: Kind::Date, about: "First day of the window; overrides time_window." };
/// `to`.
pub static TO: Param =
    Param { name: "to", kind: Kind::Date, about: "First day after the window; overrides time_window." };
/// `lookback_days`.
pub static LOOKBACK_DAYS: Param = Param {
    name: "lookback_days",
    kind: Kind::Integer { min: 1, max: SPAN_DAYS_MAX as u32, default: None },
    about: "Length of the window in days, up to the snapshot's now; overrides time_window, but not from and to.",
};
/// `granularity`.
pub static GRANULARITY: Param = Param {
    name: "granularity",
    kind: Kind::Word(&["daily", "weekly", "monthly"], None),
    about: "Length of the periods: UTC days, ISO weeks or calendar months. The default is daily up to 31 days, \
            weekly up to 180 days, otherwise monthly.",
};

/// Reads `granularity`.
pub fn read_granularity(reader: &mut Reader<'_>) -> Option<Granularity> {
    reader.word(&GRANULARITY, Granularity::parse)
}

/// Reads the window, including `lookback_days` if the endpoint has this parameter. If a fault was recorded, the
/// result is the default window.
pub fn read(reader: &mut Reader<'_>, has_lookback: bool) -> Window {
    let args = WindowArgs {
        time_window: reader.word(&TIME_WINDOW, Preset::parse),
        from: reader.date(&FROM),
        to: reader.date(&TO),
        lookback_days: if has_lookback { reader.integer(&LOOKBACK_DAYS) } else { None },
    };
    Window::resolve(args, reader.as_of()).unwrap_or_else(|faults| {
        // If `from` or `to` was given but is not a date, it already has a fault, so `reject` does not report it as
        // missing.
        for fault in faults {
            reader.reject(BadParameter::new(fault.parameter, fault.reason));
        }
        Window::of_preset(Preset::Last30Days, reader.as_of())
    })
}

/// Price class of a request. Windows of more than `days_max` days are deep reads.
pub fn price(window: &Window, days_max: i32, usual: PriceClass) -> PriceClass {
    if window.span_days() > days_max { PriceClass::Deep } else { usual }
}
