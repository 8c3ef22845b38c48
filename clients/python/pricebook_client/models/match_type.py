from typing import Literal

MatchType = Literal["entity", "likely", "self_text", "title"]

MATCH_TYPE_VALUES: set[MatchType] = {
    "entity",
    "likely",
    "self_text",
    "title",
}


def check_match_type(value: str) -> MatchType:
    if value in MATCH_TYPE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {MATCH_TYPE_VALUES!r}"
    )
