from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="NearestProduct")


@_attrs_define
class NearestProduct:
    """A product that comes near to what was asked for."""

    product_name: str
    """ Name of the listing that matches best. """
    match_quality: float
    """ Share of the query that it satisfies, 0 to 1, rounded down to two decimals. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        product_name = self.product_name

        match_quality = self.match_quality

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_name": product_name,
                "match_quality": match_quality,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        product_name = d.pop("product_name")

        match_quality = d.pop("match_quality")

        nearest_product = cls(
            product_name=product_name,
            match_quality=match_quality,
        )

        nearest_product.additional_properties = d
        return nearest_product

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
