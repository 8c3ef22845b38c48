from typing import Literal

AggregateBy = Literal["brand", "retailer"]

AGGREGATE_BY_VALUES: set[AggregateBy] = {
    "brand",
    "retailer",
}


def check_aggregate_by(value: str) -> AggregateBy:
    if value in AGGREGATE_BY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {AGGREGATE_BY_VALUES!r}"
    )
