from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition
from ..models.country import Country, check_country
from ..models.price_trend import PriceTrend, check_price_trend
from ..models.product_scope import ProductScope, check_product_scope

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.listing_gpc import ListingGpc
    from ..models.price_point import PricePoint
    from ..models.query_reading import QueryReading
    from ..models.series_summary import SeriesSummary
    from ..models.term_correction import TermCorrection


T = TypeVar("T", bound="PriceHistoryAnswer")


@_attrs_define
class PriceHistoryAnswer:
    """Answer of price-history."""

    query: None | str
    """ `q` as given; null for look-ups by uid. """
    corrected_terms: list[TermCorrection] | None
    """ Terms that nothing has as they are written, and what was searched for instead; null when none was corrected.
    """
    dropped_terms: list[str] | None
    """ Terms that the best match does not hold; null when it holds all. """
    match_quality: float | None
    """ Share of the query's weight that the best match satisfies, 0 to 1, rounded down to two decimals; 1 when it
    holds every term in the role in which it was asked. """
    understood_as: list[QueryReading] | None
    """ Parts of the query that were read otherwise; null when none was. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    product_uid: str
    """ Stable id of the listing that stands for the product: the pinned one, else its best offer. """
    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name at the retailer. """
    retailer: str
    """ Retailer platform key. """
    condition: Condition
    """ The state in which a listing is sold. """
    scope: ProductScope
    """ Whether prices span several listings. """
    member_count: int
    """ Number of listings of the product in the country, priced or not. """
    gpc: ListingGpc | None
    """ Product type; null without a mapping. """
    current_price: float | None
    """ The listing's latest price in the window, in currency. """
    period_low: float | None
    """ The listing's lowest price in the window. """
    period_high: float | None
    """ The listing's highest price in the window. """
    period_avg: float
    """ Mean of the listing's daily prices in the window, rounded to cents. """
    is_good_deal: bool
    """ Whether the series now stands near its low, no higher than its median, and was at least 5 % dearer. """
    trend: PriceTrend
    """ Direction of a series. """
    insufficient_history: bool
    """ Whether the series has fewer than 5 days, too few for trend and is_good_deal. """
    observation_count: int
    """ Number of days in the window on which the listing was observed. """
    window: AnswerWindow
    """ The `window` block. """
    observations: list[PricePoint]
    """ The listing's price on each day it was observed, oldest first. """
    series: list[PricePoint]
    """ The product's lowest price of each day over its listings of the same condition, oldest first. """
    series_summary: None | SeriesSummary
    """ The series in figures; null when it is empty. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.series_summary import SeriesSummary  # noqa: PLC0415

        query: None | str
        query = self.query

        corrected_terms: list[dict[str, Any]] | None
        if isinstance(self.corrected_terms, list):
            corrected_terms = []
            for corrected_terms_type_0_item_data in self.corrected_terms:
                corrected_terms_type_0_item = corrected_terms_type_0_item_data.to_dict()
                corrected_terms.append(corrected_terms_type_0_item)

        else:
            corrected_terms = self.corrected_terms

        dropped_terms: list[str] | None
        if isinstance(self.dropped_terms, list):
            dropped_terms = self.dropped_terms

        else:
            dropped_terms = self.dropped_terms

        match_quality: float | None
        match_quality = self.match_quality

        understood_as: list[dict[str, Any]] | None
        if isinstance(self.understood_as, list):
            understood_as = []
            for understood_as_type_0_item_data in self.understood_as:
                understood_as_type_0_item = understood_as_type_0_item_data.to_dict()
                understood_as.append(understood_as_type_0_item)

        else:
            understood_as = self.understood_as

        country: str = self.country

        currency = self.currency

        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_name = self.product_name

        retailer = self.retailer

        condition: str = self.condition

        scope: str = self.scope

        member_count = self.member_count

        gpc: dict[str, Any] | None
        if isinstance(self.gpc, ListingGpc):
            gpc = self.gpc.to_dict()
        else:
            gpc = self.gpc

        current_price: float | None
        current_price = self.current_price

        period_low: float | None
        period_low = self.period_low

        period_high: float | None
        period_high = self.period_high

        period_avg = self.period_avg

        is_good_deal = self.is_good_deal

        trend: str = self.trend

        insufficient_history = self.insufficient_history

        observation_count = self.observation_count

        window = self.window.to_dict()

        observations = []
        for observations_item_data in self.observations:
            observations_item = observations_item_data.to_dict()
            observations.append(observations_item)

        series = []
        for series_item_data in self.series:
            series_item = series_item_data.to_dict()
            series.append(series_item)

        series_summary: dict[str, Any] | None
        if isinstance(self.series_summary, SeriesSummary):
            series_summary = self.series_summary.to_dict()
        else:
            series_summary = self.series_summary

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "query": query,
                "corrected_terms": corrected_terms,
                "dropped_terms": dropped_terms,
                "match_quality": match_quality,
                "understood_as": understood_as,
                "country": country,
                "currency": currency,
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "retailer": retailer,
                "condition": condition,
                "scope": scope,
                "member_count": member_count,
                "gpc": gpc,
                "current_price": current_price,
                "period_low": period_low,
                "period_high": period_high,
                "period_avg": period_avg,
                "is_good_deal": is_good_deal,
                "trend": trend,
                "insufficient_history": insufficient_history,
                "observation_count": observation_count,
                "window": window,
                "observations": observations,
                "series": series,
                "series_summary": series_summary,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.price_point import PricePoint  # noqa: PLC0415
        from ..models.query_reading import QueryReading  # noqa: PLC0415
        from ..models.series_summary import SeriesSummary  # noqa: PLC0415
        from ..models.term_correction import TermCorrection  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_query(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        query = _parse_query(d.pop("query"))

        def _parse_corrected_terms(data: object) -> list[TermCorrection] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                corrected_terms_type_0 = []
                _corrected_terms_type_0 = data
                for corrected_terms_type_0_item_data in _corrected_terms_type_0:
                    corrected_terms_type_0_item = TermCorrection.from_dict(
                        corrected_terms_type_0_item_data
                    )

                    corrected_terms_type_0.append(corrected_terms_type_0_item)

                return corrected_terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TermCorrection] | None, data)

        corrected_terms = _parse_corrected_terms(d.pop("corrected_terms"))

        def _parse_dropped_terms(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                dropped_terms_type_0 = cast(list[str], data)

                return dropped_terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        dropped_terms = _parse_dropped_terms(d.pop("dropped_terms"))

        def _parse_match_quality(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        match_quality = _parse_match_quality(d.pop("match_quality"))

        def _parse_understood_as(data: object) -> list[QueryReading] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                understood_as_type_0 = []
                _understood_as_type_0 = data
                for understood_as_type_0_item_data in _understood_as_type_0:
                    understood_as_type_0_item = QueryReading.from_dict(
                        understood_as_type_0_item_data
                    )

                    understood_as_type_0.append(understood_as_type_0_item)

                return understood_as_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[QueryReading] | None, data)

        understood_as = _parse_understood_as(d.pop("understood_as"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        product_uid = d.pop("product_uid")

        entity_uid = d.pop("entity_uid")

        product_name = d.pop("product_name")

        retailer = d.pop("retailer")

        condition = check_condition(d.pop("condition"))

        scope = check_product_scope(d.pop("scope"))

        member_count = d.pop("member_count")

        def _parse_gpc(data: object) -> ListingGpc | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                gpc_type_0 = ListingGpc.from_dict(data)

                return gpc_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ListingGpc | None, data)

        gpc = _parse_gpc(d.pop("gpc"))

        def _parse_current_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        current_price = _parse_current_price(d.pop("current_price"))

        def _parse_period_low(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        period_low = _parse_period_low(d.pop("period_low"))

        def _parse_period_high(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        period_high = _parse_period_high(d.pop("period_high"))

        period_avg = d.pop("period_avg")

        is_good_deal = d.pop("is_good_deal")

        trend = check_price_trend(d.pop("trend"))

        insufficient_history = d.pop("insufficient_history")

        observation_count = d.pop("observation_count")

        window = AnswerWindow.from_dict(d.pop("window"))

        observations = []
        _observations = d.pop("observations")
        for observations_item_data in _observations:
            observations_item = PricePoint.from_dict(observations_item_data)

            observations.append(observations_item)

        series = []
        _series = d.pop("series")
        for series_item_data in _series:
            series_item = PricePoint.from_dict(series_item_data)

            series.append(series_item)

        def _parse_series_summary(data: object) -> None | SeriesSummary:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                series_summary_type_0 = SeriesSummary.from_dict(data)

                return series_summary_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SeriesSummary, data)

        series_summary = _parse_series_summary(d.pop("series_summary"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_history_answer = cls(
            query=query,
            corrected_terms=corrected_terms,
            dropped_terms=dropped_terms,
            match_quality=match_quality,
            understood_as=understood_as,
            country=country,
            currency=currency,
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_name=product_name,
            retailer=retailer,
            condition=condition,
            scope=scope,
            member_count=member_count,
            gpc=gpc,
            current_price=current_price,
            period_low=period_low,
            period_high=period_high,
            period_avg=period_avg,
            is_good_deal=is_good_deal,
            trend=trend,
            insufficient_history=insufficient_history,
            observation_count=observation_count,
            window=window,
            observations=observations,
            series=series,
            series_summary=series_summary,
            meta=meta,
        )

        price_history_answer.additional_properties = d
        return price_history_answer

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
