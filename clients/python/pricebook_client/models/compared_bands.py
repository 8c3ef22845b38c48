from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ComparedBands")


@_attrs_define
class ComparedBands:
    """The days that are compared, all inclusive."""

    recent_from: datetime.date
    """ First day of the recent band. """
    recent_to: datetime.date
    """ Its last day: the last on which any of the products was observed. """
    base_from: datetime.date
    """ First day of the band that it is compared with. """
    base_to: datetime.date
    """ Last day of that. """
    shifted_days: int
    """ Days by which that was moved to where something was observed; negative is earlier. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        recent_from = self.recent_from.isoformat()

        recent_to = self.recent_to.isoformat()

        base_from = self.base_from.isoformat()

        base_to = self.base_to.isoformat()

        shifted_days = self.shifted_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "recent_from": recent_from,
                "recent_to": recent_to,
                "base_from": base_from,
                "base_to": base_to,
                "shifted_days": shifted_days,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        recent_from = datetime.date.fromisoformat(d.pop("recent_from"))

        recent_to = datetime.date.fromisoformat(d.pop("recent_to"))

        base_from = datetime.date.fromisoformat(d.pop("base_from"))

        base_to = datetime.date.fromisoformat(d.pop("base_to"))

        shifted_days = d.pop("shifted_days")

        compared_bands = cls(
            recent_from=recent_from,
            recent_to=recent_to,
            base_from=base_from,
            base_to=base_to,
            shifted_days=shifted_days,
        )

        compared_bands.additional_properties = d
        return compared_bands

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
