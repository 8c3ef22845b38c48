from typing import Literal

ChangeDirection = Literal["all", "down", "up"]

CHANGE_DIRECTION_VALUES: set[ChangeDirection] = {
    "all",
    "down",
    "up",
}


def check_change_direction(value: str) -> ChangeDirection:
    if value in CHANGE_DIRECTION_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CHANGE_DIRECTION_VALUES!r}"
    )
