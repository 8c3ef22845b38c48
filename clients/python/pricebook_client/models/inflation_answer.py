from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_method import ChangeMethod, check_change_method
from ..models.country import Country, check_country
from ..models.granularity import Granularity, check_granularity
from ..models.time_window import TimeWindow, check_time_window

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.basket_point import BasketPoint
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="InflationAnswer")


@_attrs_define
class InflationAnswer:
    """Answer of inflation."""

    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    granularity: Granularity
    """ The width of the buckets of a series. """
    lfl_change_pct: float | None
    """ Change of the products priced in both periods, in percent: the mean of their log relatives, those outside
    half to double left out as errors. Null with lfl_note when fewer than 10 products match. """
    lfl_ci95_pct: list[float] | None
    """ 95 % confidence interval of lfl_change_pct in percent, low and high; null where that is null. """
    lfl_median_pct: float | None
    """ Median change of the matched products in percent; null where lfl_change_pct is. """
    lfl_arithmetic_pct: float | None
    """ Arithmetic mean of the changes in percent, biased upwards where prices go on and off promotion; null where
    lfl_change_pct is. """
    lfl_matched: int
    """ Number of products priced in both periods. """
    lfl_rising: int
    """ Number of matched products that went up by more than 1 %. """
    lfl_stable: int
    """ Number of matched products that stayed within 1 %. """
    lfl_falling: int
    """ Number of matched products that went down by more than 1 %. """
    lfl_trimmed: int
    """ Number of matched products left out of lfl_change_pct as errors: to less than half or more than double. """
    lfl_match_rate: float | None
    """ Share of the first period's products that were matched, 0 to 1; null without two periods. """
    lfl_periods: list[str] | None
    """ Labels of the two periods that are compared; null without two. """
    lfl_note: None | str
    """ Why a figure is withheld or to be read with care; null when there is nothing to say. """
    lfl_try: None | TimeWindow
    """ Where lfl_change_pct is null: the shortest of last_60_days and last_90_days, longer than the window, that as
    time_window has a figure; null where neither has one, or where the request named from or to. """
    overall_change_pct: float | None
    """ Deprecated: the points' changes chained, in percent; null unless every one is matched. """
    naive_overall_change_pct: float | None
    """ Deprecated: last average over first in percent. Moves with the composition of the basket; not inflation. """
    method: ChangeMethod | None
    """ How change_pct of the points was computed; null where there are fewer than two points. """
    window: AnswerWindow
    """ The `window` block. """
    time_series: list[BasketPoint]
    """ One point per period that holds an observation, oldest first. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        category = self.category

        department: None | str
        department = self.department

        country: str = self.country

        currency = self.currency

        retailer: None | str
        retailer = self.retailer

        granularity: str = self.granularity

        lfl_change_pct: float | None
        lfl_change_pct = self.lfl_change_pct

        lfl_ci95_pct: list[float] | None
        if isinstance(self.lfl_ci95_pct, list):
            lfl_ci95_pct = self.lfl_ci95_pct

        else:
            lfl_ci95_pct = self.lfl_ci95_pct

        lfl_median_pct: float | None
        lfl_median_pct = self.lfl_median_pct

        lfl_arithmetic_pct: float | None
        lfl_arithmetic_pct = self.lfl_arithmetic_pct

        lfl_matched = self.lfl_matched

        lfl_rising = self.lfl_rising

        lfl_stable = self.lfl_stable

        lfl_falling = self.lfl_falling

        lfl_trimmed = self.lfl_trimmed

        lfl_match_rate: float | None
        lfl_match_rate = self.lfl_match_rate

        lfl_periods: list[str] | None
        if isinstance(self.lfl_periods, list):
            lfl_periods = self.lfl_periods

        else:
            lfl_periods = self.lfl_periods

        lfl_note: None | str
        lfl_note = self.lfl_note

        lfl_try: None | str
        if isinstance(self.lfl_try, str):
            lfl_try = self.lfl_try
        else:
            lfl_try = self.lfl_try

        overall_change_pct: float | None
        overall_change_pct = self.overall_change_pct

        naive_overall_change_pct: float | None
        naive_overall_change_pct = self.naive_overall_change_pct

        method: None | str
        if isinstance(self.method, str):
            method = self.method
        else:
            method = self.method

        window = self.window.to_dict()

        time_series = []
        for time_series_item_data in self.time_series:
            time_series_item = time_series_item_data.to_dict()
            time_series.append(time_series_item)

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "category": category,
                "department": department,
                "country": country,
                "currency": currency,
                "retailer": retailer,
                "granularity": granularity,
                "lfl_change_pct": lfl_change_pct,
                "lfl_ci95_pct": lfl_ci95_pct,
                "lfl_median_pct": lfl_median_pct,
                "lfl_arithmetic_pct": lfl_arithmetic_pct,
                "lfl_matched": lfl_matched,
                "lfl_rising": lfl_rising,
                "lfl_stable": lfl_stable,
                "lfl_falling": lfl_falling,
                "lfl_trimmed": lfl_trimmed,
                "lfl_match_rate": lfl_match_rate,
                "lfl_periods": lfl_periods,
                "lfl_note": lfl_note,
                "lfl_try": lfl_try,
                "overall_change_pct": overall_change_pct,
                "naive_overall_change_pct": naive_overall_change_pct,
                "method": method,
                "window": window,
                "time_series": time_series,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.basket_point import BasketPoint  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        granularity = check_granularity(d.pop("granularity"))

        def _parse_lfl_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_change_pct = _parse_lfl_change_pct(d.pop("lfl_change_pct"))

        def _parse_lfl_ci95_pct(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                lfl_ci95_pct_type_0 = cast(list[float], data)

                return lfl_ci95_pct_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        lfl_ci95_pct = _parse_lfl_ci95_pct(d.pop("lfl_ci95_pct"))

        def _parse_lfl_median_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_median_pct = _parse_lfl_median_pct(d.pop("lfl_median_pct"))

        def _parse_lfl_arithmetic_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_arithmetic_pct = _parse_lfl_arithmetic_pct(d.pop("lfl_arithmetic_pct"))

        lfl_matched = d.pop("lfl_matched")

        lfl_rising = d.pop("lfl_rising")

        lfl_stable = d.pop("lfl_stable")

        lfl_falling = d.pop("lfl_falling")

        lfl_trimmed = d.pop("lfl_trimmed")

        def _parse_lfl_match_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_match_rate = _parse_lfl_match_rate(d.pop("lfl_match_rate"))

        def _parse_lfl_periods(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                lfl_periods_type_0 = cast(list[str], data)

                return lfl_periods_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        lfl_periods = _parse_lfl_periods(d.pop("lfl_periods"))

        def _parse_lfl_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        lfl_note = _parse_lfl_note(d.pop("lfl_note"))

        def _parse_lfl_try(data: object) -> None | TimeWindow:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                lfl_try_type_0 = check_time_window(data)

                return lfl_try_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TimeWindow, data)

        lfl_try = _parse_lfl_try(d.pop("lfl_try"))

        def _parse_overall_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_change_pct = _parse_overall_change_pct(d.pop("overall_change_pct"))

        def _parse_naive_overall_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        naive_overall_change_pct = _parse_naive_overall_change_pct(
            d.pop("naive_overall_change_pct")
        )

        def _parse_method(data: object) -> ChangeMethod | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                method_type_0 = check_change_method(data)

                return method_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChangeMethod | None, data)

        method = _parse_method(d.pop("method"))

        window = AnswerWindow.from_dict(d.pop("window"))

        time_series = []
        _time_series = d.pop("time_series")
        for time_series_item_data in _time_series:
            time_series_item = BasketPoint.from_dict(time_series_item_data)

            time_series.append(time_series_item)

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        inflation_answer = cls(
            category=category,
            department=department,
            country=country,
            currency=currency,
            retailer=retailer,
            granularity=granularity,
            lfl_change_pct=lfl_change_pct,
            lfl_ci95_pct=lfl_ci95_pct,
            lfl_median_pct=lfl_median_pct,
            lfl_arithmetic_pct=lfl_arithmetic_pct,
            lfl_matched=lfl_matched,
            lfl_rising=lfl_rising,
            lfl_stable=lfl_stable,
            lfl_falling=lfl_falling,
            lfl_trimmed=lfl_trimmed,
            lfl_match_rate=lfl_match_rate,
            lfl_periods=lfl_periods,
            lfl_note=lfl_note,
            lfl_try=lfl_try,
            overall_change_pct=overall_change_pct,
            naive_overall_change_pct=naive_overall_change_pct,
            method=method,
            window=window,
            time_series=time_series,
            resolved=resolved,
            meta=meta,
        )

        inflation_answer.additional_properties = d
        return inflation_answer

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
