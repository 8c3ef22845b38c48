from typing import Literal

ProductScope = Literal["entity", "listing"]

PRODUCT_SCOPE_VALUES: set[ProductScope] = {
    "entity",
    "listing",
}


def check_product_scope(value: str) -> ProductScope:
    if value in PRODUCT_SCOPE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PRODUCT_SCOPE_VALUES!r}"
    )
