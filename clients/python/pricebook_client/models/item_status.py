from typing import Literal

ItemStatus = Literal[
    "no_offer", "no_priced_listing", "not_a_barcode", "ok", "unknown_product"
]

ITEM_STATUS_VALUES: set[ItemStatus] = {
    "no_offer",
    "no_priced_listing",
    "not_a_barcode",
    "ok",
    "unknown_product",
}


def check_item_status(value: str) -> ItemStatus:
    if value in ITEM_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {ITEM_STATUS_VALUES!r}"
    )
