from typing import Literal

GpcLevel = Literal["brick", "class", "family", "segment"]

GPC_LEVEL_VALUES: set[GpcLevel] = {
    "brick",
    "class",
    "family",
    "segment",
}


def check_gpc_level(value: str) -> GpcLevel:
    if value in GPC_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GPC_LEVEL_VALUES!r}")
