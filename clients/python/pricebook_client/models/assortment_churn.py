from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssortmentChurn")


@_attrs_define
class AssortmentChurn:
    """What came and went between the window before and the window."""

    observed_before: int
    """ Listings observed in the window before. """
    observed_in_window: int
    """ Listings observed in the window. """
    new: int | None
    """ Listings in the window that were never observed before it; null, like the four after it, where nothing was
    observed before or less than half as much in the window. """
    new_pct: float | None
    """ The same in percent of those in the window. """
    delisted: int | None
    """ Listings of the window before that were not observed in the window. """
    delisted_pct: float | None
    """ The same in percent of those in the window before. """
    returned: int | None
    """ Listings in the window that were observed earlier, and not in the window before. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        observed_before = self.observed_before

        observed_in_window = self.observed_in_window

        new: int | None
        new = self.new

        new_pct: float | None
        new_pct = self.new_pct

        delisted: int | None
        delisted = self.delisted

        delisted_pct: float | None
        delisted_pct = self.delisted_pct

        returned: int | None
        returned = self.returned

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "observed_before": observed_before,
                "observed_in_window": observed_in_window,
                "new": new,
                "new_pct": new_pct,
                "delisted": delisted,
                "delisted_pct": delisted_pct,
                "returned": returned,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        observed_before = d.pop("observed_before")

        observed_in_window = d.pop("observed_in_window")

        def _parse_new(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        new = _parse_new(d.pop("new"))

        def _parse_new_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        new_pct = _parse_new_pct(d.pop("new_pct"))

        def _parse_delisted(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        delisted = _parse_delisted(d.pop("delisted"))

        def _parse_delisted_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        delisted_pct = _parse_delisted_pct(d.pop("delisted_pct"))

        def _parse_returned(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        returned = _parse_returned(d.pop("returned"))

        assortment_churn = cls(
            observed_before=observed_before,
            observed_in_window=observed_in_window,
            new=new,
            new_pct=new_pct,
            delisted=delisted,
            delisted_pct=delisted_pct,
            returned=returned,
        )

        assortment_churn.additional_properties = d
        return assortment_churn

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
