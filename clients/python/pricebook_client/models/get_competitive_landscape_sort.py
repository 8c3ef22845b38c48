from typing import Literal

GetCompetitiveLandscapeSort = Literal["price_asc", "price_desc", "rating", "reviews"]

GET_COMPETITIVE_LANDSCAPE_SORT_VALUES: set[GetCompetitiveLandscapeSort] = {
    "price_asc",
    "price_desc",
    "rating",
    "reviews",
}


def check_get_competitive_landscape_sort(value: str) -> GetCompetitiveLandscapeSort:
    if value in GET_COMPETITIVE_LANDSCAPE_SORT_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_COMPETITIVE_LANDSCAPE_SORT_VALUES!r}"
    )
