from typing import Literal

QualityStatus = Literal["serving", "stale", "thin"]

QUALITY_STATUS_VALUES: set[QualityStatus] = {
    "serving",
    "stale",
    "thin",
}


def check_quality_status(value: str) -> QualityStatus:
    if value in QUALITY_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {QUALITY_STATUS_VALUES!r}"
    )
