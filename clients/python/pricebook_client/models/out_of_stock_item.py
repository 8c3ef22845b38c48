from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="OutOfStockItem")


@_attrs_define
class OutOfStockItem:
    """A product that is out of stock."""

    product_uid: str
    """ Stable id of the listing. """
    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name at the retailer. """
    brand: None | str
    """ Display label of the brand; null for a listing without one. """
    retailer: str
    """ Retailer platform key. """
    price: float
    """ Current price: that of the latest observation, in currency. """
    out_since: datetime.date
    """ First day in the window on which it was seen out of stock, and not in stock since. """
    out_days: int
    """ Days from then to the day after its last observation. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        retailer = self.retailer

        price = self.price

        out_since = self.out_since.isoformat()

        out_days = self.out_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "retailer": retailer,
                "price": price,
                "out_since": out_since,
                "out_days": out_days,
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

        retailer = d.pop("retailer")

        price = d.pop("price")

        out_since = datetime.date.fromisoformat(d.pop("out_since"))

        out_days = d.pop("out_days")

        out_of_stock_item = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            retailer=retailer,
            price=price,
            out_since=out_since,
            out_days=out_days,
        )

        out_of_stock_item.additional_properties = d
        return out_of_stock_item

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
