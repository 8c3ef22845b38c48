from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.pack_unit import PackUnit, check_pack_unit

T = TypeVar("T", bound="Pack")


@_attrs_define
class Pack:
    """What the name says one buys: count × quantity unit."""

    quantity: float
    """ Size of one piece, in unit. """
    unit: PackUnit
    """ What a quantity is measured in. """
    count: int
    """ Pieces in the pack. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        quantity = self.quantity

        unit: str = self.unit

        count = self.count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "quantity": quantity,
                "unit": unit,
                "count": count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        quantity = d.pop("quantity")

        unit = check_pack_unit(d.pop("unit"))

        count = d.pop("count")

        pack = cls(
            quantity=quantity,
            unit=unit,
            count=count,
        )

        pack.additional_properties = d
        return pack

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
