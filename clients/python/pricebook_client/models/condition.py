from typing import Literal

Condition = Literal["new", "refurbished", "unknown", "used"]

CONDITION_VALUES: set[Condition] = {
    "new",
    "refurbished",
    "unknown",
    "used",
}


def check_condition(value: str) -> Condition:
    if value in CONDITION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONDITION_VALUES!r}")
