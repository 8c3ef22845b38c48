from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition

T = TypeVar("T", bound="BasketOffer")


@_attrs_define
class BasketOffer:
    """A retailer's offer of an item."""

    retailer: str
    """ Retailer platform key. """
    product_uid: str
    """ Stable id of the listing. """
    price: float
    """ Current price of one, in currency. """
    in_stock: bool | None
    """ Whether it was in stock when its price was observed; null when the source does not say. """
    condition: Condition
    """ The state in which a listing is sold. """
    observed_at: datetime.datetime
    """ Instant of the observation; the start of its day where the source has days only. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        product_uid = self.product_uid

        price = self.price

        in_stock: bool | None
        in_stock = self.in_stock

        condition: str = self.condition

        observed_at = self.observed_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "product_uid": product_uid,
                "price": price,
                "in_stock": in_stock,
                "condition": condition,
                "observed_at": observed_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailer = d.pop("retailer")

        product_uid = d.pop("product_uid")

        price = d.pop("price")

        def _parse_in_stock(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        in_stock = _parse_in_stock(d.pop("in_stock"))

        condition = check_condition(d.pop("condition"))

        observed_at = datetime.datetime.fromisoformat(d.pop("observed_at"))

        basket_offer = cls(
            retailer=retailer,
            product_uid=product_uid,
            price=price,
            in_stock=in_stock,
            condition=condition,
            observed_at=observed_at,
        )

        basket_offer.additional_properties = d
        return basket_offer

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
