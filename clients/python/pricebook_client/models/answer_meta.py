from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AnswerMeta")


@_attrs_define
class AnswerMeta:
    """The `meta` block."""

    served_from: str
    """ Where the answer was computed: always `memory`. """
    snapshot_id: str
    """ Id of the snapshot that answered. """
    freshness_seconds: int
    """ Seconds from the snapshot's newest observation to computed_at. """
    schema_version: str
    """ Version of the response schema. """
    computed_at: datetime.datetime
    """ Instant at which the answer was computed. """
    price_observed_at_min: datetime.datetime | None
    """ Oldest observation among the rows and points of the answer; null when there is none. """
    price_observed_at_max: datetime.datetime | None
    """ Newest observation among the rows and points of the answer; null when there is none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        served_from = self.served_from

        snapshot_id = self.snapshot_id

        freshness_seconds = self.freshness_seconds

        schema_version = self.schema_version

        computed_at = self.computed_at.isoformat()

        price_observed_at_min: None | str
        if isinstance(self.price_observed_at_min, datetime.datetime):
            price_observed_at_min = self.price_observed_at_min.isoformat()
        else:
            price_observed_at_min = self.price_observed_at_min

        price_observed_at_max: None | str
        if isinstance(self.price_observed_at_max, datetime.datetime):
            price_observed_at_max = self.price_observed_at_max.isoformat()
        else:
            price_observed_at_max = self.price_observed_at_max

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "served_from": served_from,
                "snapshot_id": snapshot_id,
                "freshness_seconds": freshness_seconds,
                "schema_version": schema_version,
                "computed_at": computed_at,
                "price_observed_at_min": price_observed_at_min,
                "price_observed_at_max": price_observed_at_max,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        served_from = d.pop("served_from")

        snapshot_id = d.pop("snapshot_id")

        freshness_seconds = d.pop("freshness_seconds")

        schema_version = d.pop("schema_version")

        computed_at = datetime.datetime.fromisoformat(d.pop("computed_at"))

        def _parse_price_observed_at_min(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                price_observed_at_min_type_0 = datetime.datetime.fromisoformat(data)

                return price_observed_at_min_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        price_observed_at_min = _parse_price_observed_at_min(
            d.pop("price_observed_at_min")
        )

        def _parse_price_observed_at_max(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                price_observed_at_max_type_0 = datetime.datetime.fromisoformat(data)

                return price_observed_at_max_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        price_observed_at_max = _parse_price_observed_at_max(
            d.pop("price_observed_at_max")
        )

        answer_meta = cls(
            served_from=served_from,
            snapshot_id=snapshot_id,
            freshness_seconds=freshness_seconds,
            schema_version=schema_version,
            computed_at=computed_at,
            price_observed_at_min=price_observed_at_min,
            price_observed_at_max=price_observed_at_max,
        )

        answer_meta.additional_properties = d
        return answer_meta

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
