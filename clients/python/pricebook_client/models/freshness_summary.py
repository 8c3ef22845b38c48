from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="FreshnessSummary")


@_attrs_define
class FreshnessSummary:
    """How old the latest observations are, in days before the last one of the catalog."""

    observed_from: datetime.date | None
    """ Oldest day of a latest observation. """
    observed_to: datetime.date | None
    """ Newest day of a latest observation. """
    median_age_days: float | None
    """ Median age in days. """
    within_7_days_pct: float
    """ Products of the last 7 days in percent. """
    within_30_days_pct: float
    """ Products of the last 30 days in percent. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        observed_from: None | str
        if isinstance(self.observed_from, datetime.date):
            observed_from = self.observed_from.isoformat()
        else:
            observed_from = self.observed_from

        observed_to: None | str
        if isinstance(self.observed_to, datetime.date):
            observed_to = self.observed_to.isoformat()
        else:
            observed_to = self.observed_to

        median_age_days: float | None
        median_age_days = self.median_age_days

        within_7_days_pct = self.within_7_days_pct

        within_30_days_pct = self.within_30_days_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "observed_from": observed_from,
                "observed_to": observed_to,
                "median_age_days": median_age_days,
                "within_7_days_pct": within_7_days_pct,
                "within_30_days_pct": within_30_days_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_observed_from(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_from_type_0 = datetime.date.fromisoformat(data)

                return observed_from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        observed_from = _parse_observed_from(d.pop("observed_from"))

        def _parse_observed_to(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_to_type_0 = datetime.date.fromisoformat(data)

                return observed_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        observed_to = _parse_observed_to(d.pop("observed_to"))

        def _parse_median_age_days(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        median_age_days = _parse_median_age_days(d.pop("median_age_days"))

        within_7_days_pct = d.pop("within_7_days_pct")

        within_30_days_pct = d.pop("within_30_days_pct")

        freshness_summary = cls(
            observed_from=observed_from,
            observed_to=observed_to,
            median_age_days=median_age_days,
            within_7_days_pct=within_7_days_pct,
            within_30_days_pct=within_30_days_pct,
        )

        freshness_summary.additional_properties = d
        return freshness_summary

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
