from typing import Literal

ConcentrationBy = Literal["brand", "retailer"]

CONCENTRATION_BY_VALUES: set[ConcentrationBy] = {
    "brand",
    "retailer",
}


def check_concentration_by(value: str) -> ConcentrationBy:
    if value in CONCENTRATION_BY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CONCENTRATION_BY_VALUES!r}"
    )
