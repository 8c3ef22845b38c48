from typing import Literal

ChangeMethod = Literal["matched", "mixed", "naive"]

CHANGE_METHOD_VALUES: set[ChangeMethod] = {
    "matched",
    "mixed",
    "naive",
}


def check_change_method(value: str) -> ChangeMethod:
    if value in CHANGE_METHOD_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CHANGE_METHOD_VALUES!r}"
    )
