from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="IndexMethods")


@_attrs_define
class IndexMethods:
    """The index of the last period by each method; null where too few products join it to the base."""

    jevons_chained: float | None
    """ Jevons from period to period, multiplied up. """
    jevons_fixed: float | None
    """ Jevons against the base. """
    geks_jevons: float | None
    """ GEKS over Jevons. """
    tpd: float | None
    """ Time-product dummy. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        jevons_chained: float | None
        jevons_chained = self.jevons_chained

        jevons_fixed: float | None
        jevons_fixed = self.jevons_fixed

        geks_jevons: float | None
        geks_jevons = self.geks_jevons

        tpd: float | None
        tpd = self.tpd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "jevons_chained": jevons_chained,
                "jevons_fixed": jevons_fixed,
                "geks_jevons": geks_jevons,
                "tpd": tpd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_jevons_chained(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        jevons_chained = _parse_jevons_chained(d.pop("jevons_chained"))

        def _parse_jevons_fixed(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        jevons_fixed = _parse_jevons_fixed(d.pop("jevons_fixed"))

        def _parse_geks_jevons(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        geks_jevons = _parse_geks_jevons(d.pop("geks_jevons"))

        def _parse_tpd(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tpd = _parse_tpd(d.pop("tpd"))

        index_methods = cls(
            jevons_chained=jevons_chained,
            jevons_fixed=jevons_fixed,
            geks_jevons=geks_jevons,
            tpd=tpd,
        )

        index_methods.additional_properties = d
        return index_methods

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
