from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="BrickAttribute")


@_attrs_define
class BrickAttribute:
    """An attribute of a brick."""

    name: str
    """ Name of the attribute. """
    allowed_values: list[str]
    """ Values it may have, in the order of the publication. """
    value_count: int
    """ Number of allowed values. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        allowed_values = self.allowed_values

        value_count = self.value_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "allowed_values": allowed_values,
                "value_count": value_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        allowed_values = cast(list[str], d.pop("allowed_values"))

        value_count = d.pop("value_count")

        brick_attribute = cls(
            name=name,
            allowed_values=allowed_values,
            value_count=value_count,
        )

        brick_attribute.additional_properties = d
        return brick_attribute

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
