from typing import Literal

Granularity = Literal["daily", "monthly", "weekly"]

GRANULARITY_VALUES: set[Granularity] = {
    "daily",
    "monthly",
    "weekly",
}


def check_granularity(value: str) -> Granularity:
    if value in GRANULARITY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {GRANULARITY_VALUES!r}"
    )
