from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssortmentPeer")


@_attrs_define
class AssortmentPeer:
    """Another retailer."""

    retailer: str
    """ Retailer platform key. """
    entities: int
    """ Its barcoded products in the category, and those that it shares. """
    shared: int
    """ Barcoded products of the retailer asked for that it sells too. """
    jaccard: float
    """ Shared products over those of either, 0 to 1. """
    covered_pct: float | None
    """ Shared products in percent of those of the retailer asked for; null where that has none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        entities = self.entities

        shared = self.shared

        jaccard = self.jaccard

        covered_pct: float | None
        covered_pct = self.covered_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "entities": entities,
                "shared": shared,
                "jaccard": jaccard,
                "covered_pct": covered_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailer = d.pop("retailer")

        entities = d.pop("entities")

        shared = d.pop("shared")

        jaccard = d.pop("jaccard")

        def _parse_covered_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        covered_pct = _parse_covered_pct(d.pop("covered_pct"))

        assortment_peer = cls(
            retailer=retailer,
            entities=entities,
            shared=shared,
            jaccard=jaccard,
            covered_pct=covered_pct,
        )

        assortment_peer.additional_properties = d
        return assortment_peer

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
