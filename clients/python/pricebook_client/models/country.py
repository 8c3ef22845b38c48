from typing import Literal

Country = Literal["ca", "us"]

COUNTRY_VALUES: set[Country] = {
    "ca",
    "us",
}


def check_country(value: str) -> Country:
    if value in COUNTRY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {COUNTRY_VALUES!r}")
