from typing import Literal

IndexMethod = Literal["geks_jevons", "jevons_chained", "jevons_fixed", "tpd"]

INDEX_METHOD_VALUES: set[IndexMethod] = {
    "geks_jevons",
    "jevons_chained",
    "jevons_fixed",
    "tpd",
}


def check_index_method(value: str) -> IndexMethod:
    if value in INDEX_METHOD_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {INDEX_METHOD_VALUES!r}"
    )
