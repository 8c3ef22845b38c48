from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.note_reason import NoteReason, check_note_reason

T = TypeVar("T", bound="WithheldNote")


@_attrs_define
class WithheldNote:
    """Why a figure is null. Figures that are withheld together have one note, on the first of them."""

    field: str
    """ The field that is null, by its path in the answer. """
    reason: NoteReason
    """ Why a figure is null. """
    have: float | int | None
    """ What there is of what it needs; null where the reason is no number. """
    need: float | int | None
    """ How much of it there would have to be; null where the reason is no number. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        reason: str = self.reason

        have: float | int | None
        have = self.have

        need: float | int | None
        need = self.need

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "field": field,
                "reason": reason,
                "have": have,
                "need": need,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        field = d.pop("field")

        reason = check_note_reason(d.pop("reason"))

        def _parse_have(data: object) -> float | int | None:
            if data is None:
                return data
            return cast(float | int | None, data)

        have = _parse_have(d.pop("have"))

        def _parse_need(data: object) -> float | int | None:
            if data is None:
                return data
            return cast(float | int | None, data)

        need = _parse_need(d.pop("need"))

        withheld_note = cls(
            field=field,
            reason=reason,
            have=have,
            need=need,
        )

        withheld_note.additional_properties = d
        return withheld_note

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
