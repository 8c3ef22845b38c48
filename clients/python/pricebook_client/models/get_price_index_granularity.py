from typing import Literal

GetPriceIndexGranularity = Literal["monthly", "weekly"]

GET_PRICE_INDEX_GRANULARITY_VALUES: set[GetPriceIndexGranularity] = {
    "monthly",
    "weekly",
}


def check_get_price_index_granularity(value: str) -> GetPriceIndexGranularity:
    if value in GET_PRICE_INDEX_GRANULARITY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_PRICE_INDEX_GRANULARITY_VALUES!r}"
    )
