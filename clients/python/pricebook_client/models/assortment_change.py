from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssortmentChange")


@_attrs_define
class AssortmentChange:
    """A listing that came or went."""

    product_uid: str
    """ Stable id of the listing. """
    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name at the retailer. """
    brand: None | str
    """ Display label of the brand; null for a listing without one. """
    price: float
    """ Its latest price, in currency. """
    date: datetime.date
    """ Day of its first observation where it came, of its last where it went. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        price = self.price

        date = self.date.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "price": price,
                "date": date,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        product_uid = d.pop("product_uid")

        entity_uid = d.pop("entity_uid")

        product_name = d.pop("product_name")

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        price = d.pop("price")

        date = datetime.date.fromisoformat(d.pop("date"))

        assortment_change = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            price=price,
            date=date,
        )

        assortment_change.additional_properties = d
        return assortment_change

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
