from typing import Literal

CategoryLevel = Literal["category", "department", "root", "shelf"]

CATEGORY_LEVEL_VALUES: set[CategoryLevel] = {
    "category",
    "department",
    "root",
    "shelf",
}


def check_category_level(value: str) -> CategoryLevel:
    if value in CATEGORY_LEVEL_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CATEGORY_LEVEL_VALUES!r}"
    )
