from typing import Literal

GetPriceHistoryWin = Literal[7, 30, 90]

GET_PRICE_HISTORY_WIN_VALUES: set[GetPriceHistoryWin] = {
    7,
    30,
    90,
}


def check_get_price_history_win(value: int) -> GetPriceHistoryWin:
    if value in GET_PRICE_HISTORY_WIN_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_PRICE_HISTORY_WIN_VALUES!r}"
    )
