from typing import Literal

GetPriceHistoryChangeWindowDays = Literal[7, 30, 90]

GET_PRICE_HISTORY_CHANGE_WINDOW_DAYS_VALUES: set[GetPriceHistoryChangeWindowDays] = {
    7,
    30,
    90,
}


def check_get_price_history_change_window_days(
    value: int,
) -> GetPriceHistoryChangeWindowDays:
    if value in GET_PRICE_HISTORY_CHANGE_WINDOW_DAYS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_PRICE_HISTORY_CHANGE_WINDOW_DAYS_VALUES!r}"
    )
