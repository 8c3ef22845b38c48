from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.granularity import Granularity, check_granularity
from ..models.time_window import TimeWindow, check_time_window

T = TypeVar("T", bound="AnswerWindow")


@_attrs_define
class AnswerWindow:
    """The `window` block."""

    preset: TimeWindow
    """ A named window. """
    from_: datetime.date
    """ First day of the window. """
    to: datetime.date
    """ Day after the last of the window. """
    granularity: Granularity
    """ The width of the buckets of a series. """
    comparison_from: datetime.date
    """ First day of the comparison window. """
    comparison_to: datetime.date
    """ Day after the last of the comparison window. """
    timezone: str
    """ Always `UTC`. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        preset: str = self.preset

        from_ = self.from_.isoformat()

        to = self.to.isoformat()

        granularity: str = self.granularity

        comparison_from = self.comparison_from.isoformat()

        comparison_to = self.comparison_to.isoformat()

        timezone = self.timezone

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "preset": preset,
                "from": from_,
                "to": to,
                "granularity": granularity,
                "comparison_from": comparison_from,
                "comparison_to": comparison_to,
                "timezone": timezone,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        preset = check_time_window(d.pop("preset"))

        from_ = datetime.date.fromisoformat(d.pop("from"))

        to = datetime.date.fromisoformat(d.pop("to"))

        granularity = check_granularity(d.pop("granularity"))

        comparison_from = datetime.date.fromisoformat(d.pop("comparison_from"))

        comparison_to = datetime.date.fromisoformat(d.pop("comparison_to"))

        timezone = d.pop("timezone")

        answer_window = cls(
            preset=preset,
            from_=from_,
            to=to,
            granularity=granularity,
            comparison_from=comparison_from,
            comparison_to=comparison_to,
            timezone=timezone,
        )

        answer_window.additional_properties = d
        return answer_window

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
