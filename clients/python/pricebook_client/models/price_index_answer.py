from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.granularity import Granularity, check_granularity
from ..models.index_method import IndexMethod, check_index_method
from ..models.index_splice import IndexSplice, check_index_splice

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.index_contributions import IndexContributions
    from ..models.index_methods import IndexMethods
    from ..models.index_panel import IndexPanel
    from ..models.price_index_point import PriceIndexPoint
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="PriceIndexAnswer")


@_attrs_define
class PriceIndexAnswer:
    """Answer of price-index. Products are listings of any condition; 1 is the level of the base period."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    window: AnswerWindow
    """ The `window` block. """
    granularity: Granularity
    """ The width of the buckets of a series. """
    method: IndexMethod
    """ Method of a price index. """
    splice: IndexSplice
    """ How a later window is tied to what was published. """
    window_periods: int
    """ Periods that geks_jevons and tpd look at together. """
    base_period: str
    """ Label of the base period: the first of ten products or more that has at least half as many as usual. """
    last_period: str
    """ Label of the last period of ten products or more. """
    index: float | None
    """ Index of the last period; null, with index_note, where too few products join it to the base. """
    index_ci95: list[float] | None
    """ 95 % interval of index, low and high, by leaving out a twentieth of the products at a time; null without
    one. """
    index_change_pct: float | None
    """ The index as a change in percent; null where it is. """
    index_note: None | str
    """ Why index is null; null where it is not. """
    methods: IndexMethods
    """ The index of the last period by each method; null where too few products join it to the base. """
    chain_drift_pct: float | None
    """ How far jevons_chained is above geks_jevons in the last period, in percent; null where either is. """
    panel: IndexPanel
    """ What an index rests on: the panel of products and periods. """
    contributions: IndexContributions | None
    """ The products that moved jevons_fixed of the last period most; null where too few are in both it and the
    base. """
    time_series: list[PriceIndexPoint]
    """ A point for each period that holds an observation, oldest first. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.index_contributions import IndexContributions  # noqa: PLC0415

        country: str = self.country

        currency = self.currency

        category = self.category

        department: None | str
        department = self.department

        retailer: None | str
        retailer = self.retailer

        resolved = self.resolved.to_dict()

        window = self.window.to_dict()

        granularity: str = self.granularity

        method: str = self.method

        splice: str = self.splice

        window_periods = self.window_periods

        base_period = self.base_period

        last_period = self.last_period

        index: float | None
        index = self.index

        index_ci95: list[float] | None
        if isinstance(self.index_ci95, list):
            index_ci95 = self.index_ci95

        else:
            index_ci95 = self.index_ci95

        index_change_pct: float | None
        index_change_pct = self.index_change_pct

        index_note: None | str
        index_note = self.index_note

        methods = self.methods.to_dict()

        chain_drift_pct: float | None
        chain_drift_pct = self.chain_drift_pct

        panel = self.panel.to_dict()

        contributions: dict[str, Any] | None
        if isinstance(self.contributions, IndexContributions):
            contributions = self.contributions.to_dict()
        else:
            contributions = self.contributions

        time_series = []
        for time_series_item_data in self.time_series:
            time_series_item = time_series_item_data.to_dict()
            time_series.append(time_series_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "country": country,
                "currency": currency,
                "category": category,
                "department": department,
                "retailer": retailer,
                "resolved": resolved,
                "window": window,
                "granularity": granularity,
                "method": method,
                "splice": splice,
                "window_periods": window_periods,
                "base_period": base_period,
                "last_period": last_period,
                "index": index,
                "index_ci95": index_ci95,
                "index_change_pct": index_change_pct,
                "index_note": index_note,
                "methods": methods,
                "chain_drift_pct": chain_drift_pct,
                "panel": panel,
                "contributions": contributions,
                "time_series": time_series,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.index_contributions import IndexContributions  # noqa: PLC0415
        from ..models.index_methods import IndexMethods  # noqa: PLC0415
        from ..models.index_panel import IndexPanel  # noqa: PLC0415
        from ..models.price_index_point import PriceIndexPoint  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        window = AnswerWindow.from_dict(d.pop("window"))

        granularity = check_granularity(d.pop("granularity"))

        method = check_index_method(d.pop("method"))

        splice = check_index_splice(d.pop("splice"))

        window_periods = d.pop("window_periods")

        base_period = d.pop("base_period")

        last_period = d.pop("last_period")

        def _parse_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        index = _parse_index(d.pop("index"))

        def _parse_index_ci95(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                index_ci95_type_0 = cast(list[float], data)

                return index_ci95_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        index_ci95 = _parse_index_ci95(d.pop("index_ci95"))

        def _parse_index_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        index_change_pct = _parse_index_change_pct(d.pop("index_change_pct"))

        def _parse_index_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        index_note = _parse_index_note(d.pop("index_note"))

        methods = IndexMethods.from_dict(d.pop("methods"))

        def _parse_chain_drift_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        chain_drift_pct = _parse_chain_drift_pct(d.pop("chain_drift_pct"))

        panel = IndexPanel.from_dict(d.pop("panel"))

        def _parse_contributions(data: object) -> IndexContributions | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                contributions_type_0 = IndexContributions.from_dict(data)

                return contributions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(IndexContributions | None, data)

        contributions = _parse_contributions(d.pop("contributions"))

        time_series = []
        _time_series = d.pop("time_series")
        for time_series_item_data in _time_series:
            time_series_item = PriceIndexPoint.from_dict(time_series_item_data)

            time_series.append(time_series_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_index_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            resolved=resolved,
            window=window,
            granularity=granularity,
            method=method,
            splice=splice,
            window_periods=window_periods,
            base_period=base_period,
            last_period=last_period,
            index=index,
            index_ci95=index_ci95,
            index_change_pct=index_change_pct,
            index_note=index_note,
            methods=methods,
            chain_drift_pct=chain_drift_pct,
            panel=panel,
            contributions=contributions,
            time_series=time_series,
            meta=meta,
        )

        price_index_answer.additional_properties = d
        return price_index_answer

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
