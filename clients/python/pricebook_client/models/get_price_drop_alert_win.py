from typing import Literal

GetPriceDropAlertWin = Literal[7, 30, 90]

GET_PRICE_DROP_ALERT_WIN_VALUES: set[GetPriceDropAlertWin] = {
    7,
    30,
    90,
}


def check_get_price_drop_alert_win(value: int) -> GetPriceDropAlertWin:
    if value in GET_PRICE_DROP_ALERT_WIN_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_PRICE_DROP_ALERT_WIN_VALUES!r}"
    )
