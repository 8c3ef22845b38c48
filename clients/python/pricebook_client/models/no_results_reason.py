from typing import Literal

NoResultsReason = Literal[
    "no_brand",
    "no_comparison",
    "no_observation_in_window",
    "no_priced_listing",
    "no_stock_status",
    "too_few_products",
    "unknown_brand",
    "unknown_category",
    "unknown_product",
]

NO_RESULTS_REASON_VALUES: set[NoResultsReason] = {
    "no_brand",
    "no_comparison",
    "no_observation_in_window",
    "no_priced_listing",
    "no_stock_status",
    "too_few_products",
    "unknown_brand",
    "unknown_category",
    "unknown_product",
}


def check_no_results_reason(value: str) -> NoResultsReason:
    if value in NO_RESULTS_REASON_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {NO_RESULTS_REASON_VALUES!r}"
    )
