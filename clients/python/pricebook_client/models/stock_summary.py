from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="StockSummary")


@_attrs_define
class StockSummary:
    """Stock, by the latest observation of each product."""

    in_stock_count: int
    """ Products in stock. """
    out_of_stock_count: int
    """ Products out of stock. """
    unknown_count: int
    """ Products whose source does not say. """
    in_stock_rate_pct: float | None
    """ Products in stock in percent of those whose stock is known; null where that is fewer than 5. """
    availability_coverage: float
    """ Share of products whose stock is known, 0 to 1. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        in_stock_count = self.in_stock_count

        out_of_stock_count = self.out_of_stock_count

        unknown_count = self.unknown_count

        in_stock_rate_pct: float | None
        in_stock_rate_pct = self.in_stock_rate_pct

        availability_coverage = self.availability_coverage

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "in_stock_count": in_stock_count,
                "out_of_stock_count": out_of_stock_count,
                "unknown_count": unknown_count,
                "in_stock_rate_pct": in_stock_rate_pct,
                "availability_coverage": availability_coverage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        in_stock_count = d.pop("in_stock_count")

        out_of_stock_count = d.pop("out_of_stock_count")

        unknown_count = d.pop("unknown_count")

        def _parse_in_stock_rate_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        in_stock_rate_pct = _parse_in_stock_rate_pct(d.pop("in_stock_rate_pct"))

        availability_coverage = d.pop("availability_coverage")

        stock_summary = cls(
            in_stock_count=in_stock_count,
            out_of_stock_count=out_of_stock_count,
            unknown_count=unknown_count,
            in_stock_rate_pct=in_stock_rate_pct,
            availability_coverage=availability_coverage,
        )

        stock_summary.additional_properties = d
        return stock_summary

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
