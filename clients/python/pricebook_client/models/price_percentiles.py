from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PricePercentiles")


@_attrs_define
class PricePercentiles:
    """Quantiles, linear between the prices around them."""

    p05: float
    """ 5 % of prices are at or below. """
    p10: float
    """ 10 % of prices are at or below. """
    p25: float
    """ 25 % of prices are at or below. """
    p50: float
    """ 50 % of prices are at or below: the median. """
    p75: float
    """ 75 % of prices are at or below. """
    p90: float
    """ 90 % of prices are at or below. """
    p95: float
    """ 95 % of prices are at or below. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        p05 = self.p05

        p10 = self.p10

        p25 = self.p25

        p50 = self.p50

        p75 = self.p75

        p90 = self.p90

        p95 = self.p95

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "p05": p05,
                "p10": p10,
                "p25": p25,
                "p50": p50,
                "p75": p75,
                "p90": p90,
                "p95": p95,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        p05 = d.pop("p05")

        p10 = d.pop("p10")

        p25 = d.pop("p25")

        p50 = d.pop("p50")

        p75 = d.pop("p75")

        p90 = d.pop("p90")

        p95 = d.pop("p95")

        price_percentiles = cls(
            p05=p05,
            p10=p10,
            p25=p25,
            p50=p50,
            p75=p75,
            p90=p90,
            p95=p95,
        )

        price_percentiles.additional_properties = d
        return price_percentiles

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
