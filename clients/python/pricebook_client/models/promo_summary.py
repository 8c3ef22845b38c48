from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PromoSummary")


@_attrs_define
class PromoSummary:
    """Promotions, by the latest observation of each product."""

    promo_count: int
    """ Products on promotion: the source says so, or the price is below a believed list price. """
    promo_coverage: float
    """ Share of products at retailers that show promotions, 0 to 1: in the country, one of their products at least
    has a list price or is on promotion. """
    promo_rate_pct: float | None
    """ Products on promotion in percent of those at retailers that show promotions; null where that share is below
    0.2. """
    list_price_coverage: float
    """ Share of products with a list price, believed or not, 0 to 1. """
    avg_promo_depth_pct: float | None
    """ Mean discount against believed list prices in percent; null where no product has one above its price. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        promo_count = self.promo_count

        promo_coverage = self.promo_coverage

        promo_rate_pct: float | None
        promo_rate_pct = self.promo_rate_pct

        list_price_coverage = self.list_price_coverage

        avg_promo_depth_pct: float | None
        avg_promo_depth_pct = self.avg_promo_depth_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "promo_count": promo_count,
                "promo_coverage": promo_coverage,
                "promo_rate_pct": promo_rate_pct,
                "list_price_coverage": list_price_coverage,
                "avg_promo_depth_pct": avg_promo_depth_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        promo_count = d.pop("promo_count")

        promo_coverage = d.pop("promo_coverage")

        def _parse_promo_rate_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        promo_rate_pct = _parse_promo_rate_pct(d.pop("promo_rate_pct"))

        list_price_coverage = d.pop("list_price_coverage")

        def _parse_avg_promo_depth_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_promo_depth_pct = _parse_avg_promo_depth_pct(d.pop("avg_promo_depth_pct"))

        promo_summary = cls(
            promo_count=promo_count,
            promo_coverage=promo_coverage,
            promo_rate_pct=promo_rate_pct,
            list_price_coverage=list_price_coverage,
            avg_promo_depth_pct=avg_promo_depth_pct,
        )

        promo_summary.additional_properties = d
        return promo_summary

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
