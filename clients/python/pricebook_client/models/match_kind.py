from typing import Literal

MatchKind = Literal["co_equal", "exact", "none", "synonym", "text"]

MATCH_KIND_VALUES: set[MatchKind] = {
    "co_equal",
    "exact",
    "none",
    "synonym",
    "text",
}


def check_match_kind(value: str) -> MatchKind:
    if value in MATCH_KIND_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {MATCH_KIND_VALUES!r}"
    )
