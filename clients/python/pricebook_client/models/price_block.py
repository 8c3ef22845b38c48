from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PriceBlock")


@_attrs_define
class PriceBlock:
    """Current prices of listings of condition new, in currency."""

    products: int
    """ Number of listings. """
    mean: float
    """ Arithmetic mean of the prices. """
    median: float
    """ Median: half of the prices are at or below. """
    min_: float
    """ Lowest price. """
    p05: float
    """ 5 % of prices are at or below, linear between the prices around it. """
    p25: float
    """ 25 % of prices are at or below. """
    p75: float
    """ 75 % of prices are at or below. """
    p95: float
    """ 95 % of prices are at or below. """
    max_: float
    """ Highest price. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        products = self.products

        mean = self.mean

        median = self.median

        min_ = self.min_

        p05 = self.p05

        p25 = self.p25

        p75 = self.p75

        p95 = self.p95

        max_ = self.max_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "products": products,
                "mean": mean,
                "median": median,
                "min": min_,
                "p05": p05,
                "p25": p25,
                "p75": p75,
                "p95": p95,
                "max": max_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        products = d.pop("products")

        mean = d.pop("mean")

        median = d.pop("median")

        min_ = d.pop("min")

        p05 = d.pop("p05")

        p25 = d.pop("p25")

        p75 = d.pop("p75")

        p95 = d.pop("p95")

        max_ = d.pop("max")

        price_block = cls(
            products=products,
            mean=mean,
            median=median,
            min_=min_,
            p05=p05,
            p25=p25,
            p75=p75,
            p95=p95,
            max_=max_,
        )

        price_block.additional_properties = d
        return price_block

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
