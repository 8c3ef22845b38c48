from typing import Literal

TimeWindow = Literal[
    "custom",
    "last_30_days",
    "last_60_days",
    "last_90_days",
    "month_over_month",
    "month_to_date",
    "previous_month",
    "quarter_to_date",
]

TIME_WINDOW_VALUES: set[TimeWindow] = {
    "custom",
    "last_30_days",
    "last_60_days",
    "last_90_days",
    "month_over_month",
    "month_to_date",
    "previous_month",
    "quarter_to_date",
}


def check_time_window(value: str) -> TimeWindow:
    if value in TIME_WINDOW_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {TIME_WINDOW_VALUES!r}"
    )
