from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PriceRange")


@_attrs_define
class PriceRange:
    """Quantiles of a shelf's own prices, measured on their logarithms."""

    p05: float
    """ 5 % of prices are at or below. """
    median: float
    """ Half of the prices are at or below. """
    p95: float
    """ 95 % of prices are at or below. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        p05 = self.p05

        median = self.median

        p95 = self.p95

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "p05": p05,
                "median": median,
                "p95": p95,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        p05 = d.pop("p05")

        median = d.pop("median")

        p95 = d.pop("p95")

        price_range = cls(
            p05=p05,
            median=median,
            p95=p95,
        )

        price_range.additional_properties = d
        return price_range

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
