from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SharedBasket")


@_attrs_define
class SharedBasket:
    """The basket at several retailers."""

    retailers: list[str]
    """ Retailer platform keys, sorted. """
    items_carried: int
    """ Items that they offer. """
    total: float
    """ What these cost, each where it is cheapest among them. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailers = self.retailers

        items_carried = self.items_carried

        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailers": retailers,
                "items_carried": items_carried,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailers = cast(list[str], d.pop("retailers"))

        items_carried = d.pop("items_carried")

        total = d.pop("total")

        shared_basket = cls(
            retailers=retailers,
            items_carried=items_carried,
            total=total,
        )

        shared_basket.additional_properties = d
        return shared_basket

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
