from typing import Literal

SuspectReason = Literal["brand_conflict", "pack_conflict", "price_ratio"]

SUSPECT_REASON_VALUES: set[SuspectReason] = {
    "brand_conflict",
    "pack_conflict",
    "price_ratio",
}


def check_suspect_reason(value: str) -> SuspectReason:
    if value in SUSPECT_REASON_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {SUSPECT_REASON_VALUES!r}"
    )
