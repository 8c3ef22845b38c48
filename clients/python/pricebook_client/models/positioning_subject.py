from typing import Literal

PositioningSubject = Literal["brand", "brand_at_retailer", "retailer"]

POSITIONING_SUBJECT_VALUES: set[PositioningSubject] = {
    "brand",
    "brand_at_retailer",
    "retailer",
}


def check_positioning_subject(value: str) -> PositioningSubject:
    if value in POSITIONING_SUBJECT_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {POSITIONING_SUBJECT_VALUES!r}"
    )
