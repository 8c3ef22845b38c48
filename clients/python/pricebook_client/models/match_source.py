from typing import Literal

MatchSource = Literal[
    "alias", "department", "everyday", "gpc", "path", "segment", "subtree", "text"
]

MATCH_SOURCE_VALUES: set[MatchSource] = {
    "alias",
    "department",
    "everyday",
    "gpc",
    "path",
    "segment",
    "subtree",
    "text",
}


def check_match_source(value: str) -> MatchSource:
    if value in MATCH_SOURCE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {MATCH_SOURCE_VALUES!r}"
    )
