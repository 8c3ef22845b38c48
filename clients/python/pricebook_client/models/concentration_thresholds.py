from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ConcentrationThresholds")


@_attrs_define
class ConcentrationThresholds:
    """The limits of a guideline on the Herfindahl–Hirschman index."""

    guideline: str
    """ Year of the guidelines. """
    moderate_from: int
    """ From here on a market is moderately concentrated. """
    concentrated_above: int
    """ Above this it is concentrated. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        guideline = self.guideline

        moderate_from = self.moderate_from

        concentrated_above = self.concentrated_above

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "guideline": guideline,
                "moderate_from": moderate_from,
                "concentrated_above": concentrated_above,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        guideline = d.pop("guideline")

        moderate_from = d.pop("moderate_from")

        concentrated_above = d.pop("concentrated_above")

        concentration_thresholds = cls(
            guideline=guideline,
            moderate_from=moderate_from,
            concentrated_above=concentrated_above,
        )

        concentration_thresholds.additional_properties = d
        return concentration_thresholds

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
