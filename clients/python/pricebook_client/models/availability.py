from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Availability")


@_attrs_define
class Availability:
    """How available something is."""

    products: int
    """ Listings with a price of the last 90 days. """
    known_products: int
    """ Of these, those whose latest observation states the stock. """
    in_stock_count: int
    """ Products in stock. """
    out_of_stock_count: int
    """ Products out of stock. """
    in_stock_rate_pct: float | None
    """ Products in stock in percent of those whose stock is known; null where that is fewer than 5. """
    availability_coverage: float
    """ Share of the products whose stock is known, 0 to 1. """
    observations: int
    """ Observations in the window that state the stock, one per listing and day. """
    out_of_stock_observation_pct: float | None
    """ Those out of stock in percent; null below 5 observations. """
    streaks: int
    """ Times that a listing was out of stock, from the first such day to the next one in stock. """
    ongoing_streaks: int
    """ Of these, those that last until now. """
    median_streak_days: float | None
    """ Median length of the streaks in days; null where there are none. """
    longest_streak_days: int | None
    """ Length of the longest in days; null where there are none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        products = self.products

        known_products = self.known_products

        in_stock_count = self.in_stock_count

        out_of_stock_count = self.out_of_stock_count

        in_stock_rate_pct: float | None
        in_stock_rate_pct = self.in_stock_rate_pct

        availability_coverage = self.availability_coverage

        observations = self.observations

        out_of_stock_observation_pct: float | None
        out_of_stock_observation_pct = self.out_of_stock_observation_pct

        streaks = self.streaks

        ongoing_streaks = self.ongoing_streaks

        median_streak_days: float | None
        median_streak_days = self.median_streak_days

        longest_streak_days: int | None
        longest_streak_days = self.longest_streak_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "products": products,
                "known_products": known_products,
                "in_stock_count": in_stock_count,
                "out_of_stock_count": out_of_stock_count,
                "in_stock_rate_pct": in_stock_rate_pct,
                "availability_coverage": availability_coverage,
                "observations": observations,
                "out_of_stock_observation_pct": out_of_stock_observation_pct,
                "streaks": streaks,
                "ongoing_streaks": ongoing_streaks,
                "median_streak_days": median_streak_days,
                "longest_streak_days": longest_streak_days,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        products = d.pop("products")

        known_products = d.pop("known_products")

        in_stock_count = d.pop("in_stock_count")

        out_of_stock_count = d.pop("out_of_stock_count")

        def _parse_in_stock_rate_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        in_stock_rate_pct = _parse_in_stock_rate_pct(d.pop("in_stock_rate_pct"))

        availability_coverage = d.pop("availability_coverage")

        observations = d.pop("observations")

        def _parse_out_of_stock_observation_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        out_of_stock_observation_pct = _parse_out_of_stock_observation_pct(
            d.pop("out_of_stock_observation_pct")
        )

        streaks = d.pop("streaks")

        ongoing_streaks = d.pop("ongoing_streaks")

        def _parse_median_streak_days(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        median_streak_days = _parse_median_streak_days(d.pop("median_streak_days"))

        def _parse_longest_streak_days(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        longest_streak_days = _parse_longest_streak_days(d.pop("longest_streak_days"))

        availability = cls(
            products=products,
            known_products=known_products,
            in_stock_count=in_stock_count,
            out_of_stock_count=out_of_stock_count,
            in_stock_rate_pct=in_stock_rate_pct,
            availability_coverage=availability_coverage,
            observations=observations,
            out_of_stock_observation_pct=out_of_stock_observation_pct,
            streaks=streaks,
            ongoing_streaks=ongoing_streaks,
            median_streak_days=median_streak_days,
            longest_streak_days=longest_streak_days,
        )

        availability.additional_properties = d
        return availability

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
