from typing import Literal

UnitPriceBasis = Literal["100 g", "100 ml", "fl oz", "oz", "piece"]

UNIT_PRICE_BASIS_VALUES: set[UnitPriceBasis] = {
    "100 g",
    "100 ml",
    "fl oz",
    "oz",
    "piece",
}


def check_unit_price_basis(value: str) -> UnitPriceBasis:
    if value in UNIT_PRICE_BASIS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {UNIT_PRICE_BASIS_VALUES!r}"
    )
