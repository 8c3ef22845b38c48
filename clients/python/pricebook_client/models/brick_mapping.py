from typing import Literal

BrickMapping = Literal["derived", "exact"]

BRICK_MAPPING_VALUES: set[BrickMapping] = {
    "derived",
    "exact",
}


def check_brick_mapping(value: str) -> BrickMapping:
    if value in BRICK_MAPPING_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {BRICK_MAPPING_VALUES!r}"
    )
