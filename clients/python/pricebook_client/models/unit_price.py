from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.unit_price_basis import UnitPriceBasis, check_unit_price_basis

T = TypeVar("T", bound="UnitPrice")


@_attrs_define
class UnitPrice:
    """A price per unit."""

    price: float
    """ The price of one `per`, with 4 decimals. """
    per: UnitPriceBasis
    """ What a unit price is the price of. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        price = self.price

        per: str = self.per

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "price": price,
                "per": per,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        price = d.pop("price")

        per = check_unit_price_basis(d.pop("per"))

        unit_price = cls(
            price=price,
            per=per,
        )

        unit_price.additional_properties = d
        return unit_price

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
