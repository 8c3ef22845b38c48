from typing import Literal

IndexSplice = Literal["half", "mean", "movement", "window"]

INDEX_SPLICE_VALUES: set[IndexSplice] = {
    "half",
    "mean",
    "movement",
    "window",
}


def check_index_splice(value: str) -> IndexSplice:
    if value in INDEX_SPLICE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {INDEX_SPLICE_VALUES!r}"
    )
