from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.price_drop import PriceDrop


T = TypeVar("T", bound="SeriesSummary")


@_attrs_define
class SeriesSummary:
    """A series in figures."""

    current: float
    """ Price of the series' last day, in currency. """
    min_: float
    """ Lowest price of the series, in currency. """
    max_: float
    """ Highest price of the series, in currency. """
    min_date: datetime.date
    """ First day of the lowest price. """
    max_date: datetime.date
    """ First day of the highest price. """
    change_pct: float | None
    """ Best price of the last days against the best around change_window_days earlier, in percent; null when the
    window does not reach back that far. """
    change_window_days: int
    """ Days over which change_pct is measured. """
    drops: list[PriceDrop]
    """ Every fall of 5 % or more from one day of the series to the next. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        current = self.current

        min_ = self.min_

        max_ = self.max_

        min_date = self.min_date.isoformat()

        max_date = self.max_date.isoformat()

        change_pct: float | None
        change_pct = self.change_pct

        change_window_days = self.change_window_days

        drops = []
        for drops_item_data in self.drops:
            drops_item = drops_item_data.to_dict()
            drops.append(drops_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "current": current,
                "min": min_,
                "max": max_,
                "min_date": min_date,
                "max_date": max_date,
                "change_pct": change_pct,
                "change_window_days": change_window_days,
                "drops": drops,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.price_drop import PriceDrop  # noqa: PLC0415

        d = dict(src_dict)
        current = d.pop("current")

        min_ = d.pop("min")

        max_ = d.pop("max")

        min_date = datetime.date.fromisoformat(d.pop("min_date"))

        max_date = datetime.date.fromisoformat(d.pop("max_date"))

        def _parse_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        change_pct = _parse_change_pct(d.pop("change_pct"))

        change_window_days = d.pop("change_window_days")

        drops = []
        _drops = d.pop("drops")
        for drops_item_data in _drops:
            drops_item = PriceDrop.from_dict(drops_item_data)

            drops.append(drops_item)

        series_summary = cls(
            current=current,
            min_=min_,
            max_=max_,
            min_date=min_date,
            max_date=max_date,
            change_pct=change_pct,
            change_window_days=change_window_days,
            drops=drops,
        )

        series_summary.additional_properties = d
        return series_summary

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
