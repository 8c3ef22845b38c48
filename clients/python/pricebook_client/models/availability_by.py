from typing import Literal

AvailabilityBy = Literal["brand", "retailer"]

AVAILABILITY_BY_VALUES: set[AvailabilityBy] = {
    "brand",
    "retailer",
}


def check_availability_by(value: str) -> AvailabilityBy:
    if value in AVAILABILITY_BY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {AVAILABILITY_BY_VALUES!r}"
    )
