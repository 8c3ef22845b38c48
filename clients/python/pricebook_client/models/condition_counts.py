from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ConditionCounts")


@_attrs_define
class ConditionCounts:
    """Products by condition."""

    new: int
    """ New, or nothing says otherwise. """
    refurbished: int
    """ Refurbished, renewed, restored and the like. """
    used: int
    """ Used, open box, for parts. """
    unknown: int
    """ The source itself does not know. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        new = self.new

        refurbished = self.refurbished

        used = self.used

        unknown = self.unknown

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "new": new,
                "refurbished": refurbished,
                "used": used,
                "unknown": unknown,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        new = d.pop("new")

        refurbished = d.pop("refurbished")

        used = d.pop("used")

        unknown = d.pop("unknown")

        condition_counts = cls(
            new=new,
            refurbished=refurbished,
            used=used,
            unknown=unknown,
        )

        condition_counts.additional_properties = d
        return condition_counts

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
