from typing import Literal

GetPriceChangeLeadersWin = Literal[7, 30, 90]

GET_PRICE_CHANGE_LEADERS_WIN_VALUES: set[GetPriceChangeLeadersWin] = {
    7,
    30,
    90,
}


def check_get_price_change_leaders_win(value: int) -> GetPriceChangeLeadersWin:
    if value in GET_PRICE_CHANGE_LEADERS_WIN_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_PRICE_CHANGE_LEADERS_WIN_VALUES!r}"
    )
