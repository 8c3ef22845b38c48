from typing import Literal

PriceIndexStatus = Literal["base", "before_base", "no_overlap", "ok", "thin"]

PRICE_INDEX_STATUS_VALUES: set[PriceIndexStatus] = {
    "base",
    "before_base",
    "no_overlap",
    "ok",
    "thin",
}


def check_price_index_status(value: str) -> PriceIndexStatus:
    if value in PRICE_INDEX_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PRICE_INDEX_STATUS_VALUES!r}"
    )
