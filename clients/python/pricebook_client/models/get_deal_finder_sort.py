from typing import Literal

GetDealFinderSort = Literal["amount", "claimed_pct", "verified_pct"]

GET_DEAL_FINDER_SORT_VALUES: set[GetDealFinderSort] = {
    "amount",
    "claimed_pct",
    "verified_pct",
}


def check_get_deal_finder_sort(value: str) -> GetDealFinderSort:
    if value in GET_DEAL_FINDER_SORT_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GET_DEAL_FINDER_SORT_VALUES!r}"
    )
