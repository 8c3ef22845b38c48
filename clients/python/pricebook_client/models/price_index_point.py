from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.price_index_status import PriceIndexStatus, check_price_index_status

T = TypeVar("T", bound="PriceIndexPoint")


@_attrs_define
class PriceIndexPoint:
    """A period of the index."""

    date: datetime.date
    """ First day of the period inside the window. """
    period: str
    """ Label: the ISO week or the month. """
    status: PriceIndexStatus
    """ What a period is to the index. """
    index: float | None
    """ Level against the base; null where status is neither base nor ok. """
    ci95: list[float] | None
    """ 95 % interval of the level, low and high; null for the base, and where index is or twenty products are not
    there. """
    change_pct: float | None
    """ Change from the period of the index before in percent; null where either has no level. """
    product_count: int
    """ Products with a price in it, errors left out. """
    observation_count: int
    """ Observations in it, one per listing and day, errors among them. """
    matched_previous: int | None
    """ Products that the period of the index before has too; null outside the index and for the base. """
    matched_base: int | None
    """ Products that the base has too; null outside the index and for the base. """
    usable_pairs: int | None
    """ Periods of the index with which it shares ten products or more; null outside the index. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        period = self.period

        status: str = self.status

        index: float | None
        index = self.index

        ci95: list[float] | None
        if isinstance(self.ci95, list):
            ci95 = self.ci95

        else:
            ci95 = self.ci95

        change_pct: float | None
        change_pct = self.change_pct

        product_count = self.product_count

        observation_count = self.observation_count

        matched_previous: int | None
        matched_previous = self.matched_previous

        matched_base: int | None
        matched_base = self.matched_base

        usable_pairs: int | None
        usable_pairs = self.usable_pairs

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "date": date,
                "period": period,
                "status": status,
                "index": index,
                "ci95": ci95,
                "change_pct": change_pct,
                "product_count": product_count,
                "observation_count": observation_count,
                "matched_previous": matched_previous,
                "matched_base": matched_base,
                "usable_pairs": usable_pairs,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))

        period = d.pop("period")

        status = check_price_index_status(d.pop("status"))

        def _parse_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        index = _parse_index(d.pop("index"))

        def _parse_ci95(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                ci95_type_0 = cast(list[float], data)

                return ci95_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        ci95 = _parse_ci95(d.pop("ci95"))

        def _parse_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        change_pct = _parse_change_pct(d.pop("change_pct"))

        product_count = d.pop("product_count")

        observation_count = d.pop("observation_count")

        def _parse_matched_previous(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        matched_previous = _parse_matched_previous(d.pop("matched_previous"))

        def _parse_matched_base(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        matched_base = _parse_matched_base(d.pop("matched_base"))

        def _parse_usable_pairs(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        usable_pairs = _parse_usable_pairs(d.pop("usable_pairs"))

        price_index_point = cls(
            date=date,
            period=period,
            status=status,
            index=index,
            ci95=ci95,
            change_pct=change_pct,
            product_count=product_count,
            observation_count=observation_count,
            matched_previous=matched_previous,
            matched_base=matched_base,
            usable_pairs=usable_pairs,
        )

        price_index_point.additional_properties = d
        return price_index_point

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
