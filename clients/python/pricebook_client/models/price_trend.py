from typing import Literal

PriceTrend = Literal["falling", "rising", "stable"]

PRICE_TREND_VALUES: set[PriceTrend] = {
    "falling",
    "rising",
    "stable",
}


def check_price_trend(value: str) -> PriceTrend:
    if value in PRICE_TREND_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PRICE_TREND_VALUES!r}"
    )
