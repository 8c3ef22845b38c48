from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssortmentGap")


@_attrs_define
class AssortmentGap:
    """A product that others sell."""

    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name of its best offer. """
    brand: None | str
    """ Display label of the brand of that; null without one. """
    retailer_count: int
    """ Retailers that sell it in the country. """
    lowest_price: float
    """ Lowest current price in the country. """
    median_price: float
    """ Median of the current prices in the country. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        retailer_count = self.retailer_count

        lowest_price = self.lowest_price

        median_price = self.median_price

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "retailer_count": retailer_count,
                "lowest_price": lowest_price,
                "median_price": median_price,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        entity_uid = d.pop("entity_uid")

        product_name = d.pop("product_name")

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        retailer_count = d.pop("retailer_count")

        lowest_price = d.pop("lowest_price")

        median_price = d.pop("median_price")

        assortment_gap = cls(
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            retailer_count=retailer_count,
            lowest_price=lowest_price,
            median_price=median_price,
        )

        assortment_gap.additional_properties = d
        return assortment_gap

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
