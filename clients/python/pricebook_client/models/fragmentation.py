from typing import Literal

Fragmentation = Literal["concentrated", "fragmented", "moderate"]

FRAGMENTATION_VALUES: set[Fragmentation] = {
    "concentrated",
    "fragmented",
    "moderate",
}


def check_fragmentation(value: str) -> Fragmentation:
    if value in FRAGMENTATION_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {FRAGMENTATION_VALUES!r}"
    )
