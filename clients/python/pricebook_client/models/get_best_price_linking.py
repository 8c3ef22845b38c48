from typing import Literal

GetBestPriceLinking = Literal["likely", "off"]

GET_BEST_PRICE_LINKING_VALUES: set[GetBestPriceLinking] = {
    "likely",
    "off",
}


def check_get_best_price_linking(value: str) -> GetBestPriceLinking:
    if value in GET_BEST_PRICE_LINKING_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_BEST_PRICE_LINKING_VALUES!r}"
    )
