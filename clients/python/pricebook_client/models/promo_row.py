from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="PromoRow")


@_attrs_define
class PromoRow:
    """The promotional activity of a brand or a retailer."""

    total_observations: int
    """ Observations: days on which a listing had a price. """
    promo_observations: int
    """ Of these, on promotion: the source says so, or the list price is above the price and believed. """
    promo_frequency_pct: float
    """ Share of `promo_observations` in percent. """
    avg_promo_depth_pct: float | None
    """ Mean discount against the list price in percent, over the promotional observations that have one; null when
    none has. """
    max_promo_depth_pct: float | None
    """ Largest such discount in percent; null when there is none. """
    suspect_list_prices: int
    """ Observations whose list price is above five times the price: not believed, and no measure of depth. """
    brand: None | str | Unset = UNSET
    """ Display label of the brand; absent when aggregating by retailer. """
    retailer: None | str | Unset = UNSET
    """ Retailer platform key; absent when aggregating by brand. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        total_observations = self.total_observations

        promo_observations = self.promo_observations

        promo_frequency_pct = self.promo_frequency_pct

        avg_promo_depth_pct: float | None
        avg_promo_depth_pct = self.avg_promo_depth_pct

        max_promo_depth_pct: float | None
        max_promo_depth_pct = self.max_promo_depth_pct

        suspect_list_prices = self.suspect_list_prices

        brand: None | str | Unset
        if isinstance(self.brand, Unset):
            brand = UNSET
        else:
            brand = self.brand

        retailer: None | str | Unset
        if isinstance(self.retailer, Unset):
            retailer = UNSET
        else:
            retailer = self.retailer

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "total_observations": total_observations,
                "promo_observations": promo_observations,
                "promo_frequency_pct": promo_frequency_pct,
                "avg_promo_depth_pct": avg_promo_depth_pct,
                "max_promo_depth_pct": max_promo_depth_pct,
                "suspect_list_prices": suspect_list_prices,
            }
        )
        if brand is not UNSET:
            field_dict["brand"] = brand
        if retailer is not UNSET:
            field_dict["retailer"] = retailer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        total_observations = d.pop("total_observations")

        promo_observations = d.pop("promo_observations")

        promo_frequency_pct = d.pop("promo_frequency_pct")

        def _parse_avg_promo_depth_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_promo_depth_pct = _parse_avg_promo_depth_pct(d.pop("avg_promo_depth_pct"))

        def _parse_max_promo_depth_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        max_promo_depth_pct = _parse_max_promo_depth_pct(d.pop("max_promo_depth_pct"))

        suspect_list_prices = d.pop("suspect_list_prices")

        def _parse_brand(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        brand = _parse_brand(d.pop("brand", UNSET))

        def _parse_retailer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        retailer = _parse_retailer(d.pop("retailer", UNSET))

        promo_row = cls(
            total_observations=total_observations,
            promo_observations=promo_observations,
            promo_frequency_pct=promo_frequency_pct,
            avg_promo_depth_pct=avg_promo_depth_pct,
            max_promo_depth_pct=max_promo_depth_pct,
            suspect_list_prices=suspect_list_prices,
            brand=brand,
            retailer=retailer,
        )

        promo_row.additional_properties = d
        return promo_row

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
