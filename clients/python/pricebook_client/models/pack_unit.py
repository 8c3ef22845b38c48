from typing import Literal

PackUnit = Literal[
    "cl", "fl oz", "g", "gal", "kg", "l", "lb", "ml", "oz", "piece", "pt", "qt"
]

PACK_UNIT_VALUES: set[PackUnit] = {
    "cl",
    "fl oz",
    "g",
    "gal",
    "kg",
    "l",
    "lb",
    "ml",
    "oz",
    "piece",
    "pt",
    "qt",
}


def check_pack_unit(value: str) -> PackUnit:
    if value in PACK_UNIT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PACK_UNIT_VALUES!r}")
