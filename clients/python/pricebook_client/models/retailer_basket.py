from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="RetailerBasket")


@_attrs_define
class RetailerBasket:
    """The basket at one retailer."""

    retailer: str
    """ Retailer platform key. """
    items_carried: int
    """ Items that it offers. """
    missing: list[str]
    """ Ids of the items that others offer and it does not. """
    total: float
    """ What it asks for the items that it offers, quantities included. """
    completed_total: float
    """ The same with the others at their cheapest elsewhere, so that all baskets hold the same. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        items_carried = self.items_carried

        missing = self.missing

        total = self.total

        completed_total = self.completed_total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "items_carried": items_carried,
                "missing": missing,
                "total": total,
                "completed_total": completed_total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailer = d.pop("retailer")

        items_carried = d.pop("items_carried")

        missing = cast(list[str], d.pop("missing"))

        total = d.pop("total")

        completed_total = d.pop("completed_total")

        retailer_basket = cls(
            retailer=retailer,
            items_carried=items_carried,
            missing=missing,
            total=total,
            completed_total=completed_total,
        )

        retailer_basket.additional_properties = d
        return retailer_basket

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
