from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition
from ..models.country import Country, check_country
from ..models.product_scope import ProductScope, check_product_scope

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.listing_gpc import ListingGpc
    from ..models.price_drop import PriceDrop
    from ..models.query_reading import QueryReading
    from ..models.term_correction import TermCorrection


T = TypeVar("T", bound="PriceDropAlertAnswer")


@_attrs_define
class PriceDropAlertAnswer:
    """Answer of price-drop-alert."""

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
    dropped: bool
    """ Whether the product's lowest price of the last day is `threshold_pct` or more below the highest of the days
    of `win` before it, or below the price that was in force when these began (the last one before them, less than
    90 days old then). """
    from_price: float | None
    """ That highest price; null when not dropped. """
    to_price: float | None
    """ Price of the last day; null when not dropped. """
    drop_pct: float | None
    """ Size of the drop in percent, positive; null when not dropped. """
    drop_amount: float | None
    """ Size of the drop in money, positive; null when not dropped. """
    drop_date: datetime.date | None
    """ First day after the highest price on which the threshold was reached; null when not dropped. """
    target_hit: bool | None
    """ Whether the price of the last day is at or below `target_price`; null without one. """
    drops: list[PriceDrop]
    """ Every fall of 5 % or more from one day of the series to the next, the price in force at the beginning first.
    """
    insufficient_history: bool
    """ Whether the series has fewer than 5 days, that of the price in force at the beginning among them. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415

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

        dropped = self.dropped

        from_price: float | None
        from_price = self.from_price

        to_price: float | None
        to_price = self.to_price

        drop_pct: float | None
        drop_pct = self.drop_pct

        drop_amount: float | None
        drop_amount = self.drop_amount

        drop_date: None | str
        if isinstance(self.drop_date, datetime.date):
            drop_date = self.drop_date.isoformat()
        else:
            drop_date = self.drop_date

        target_hit: bool | None
        target_hit = self.target_hit

        drops = []
        for drops_item_data in self.drops:
            drops_item = drops_item_data.to_dict()
            drops.append(drops_item)

        insufficient_history = self.insufficient_history

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
                "dropped": dropped,
                "from_price": from_price,
                "to_price": to_price,
                "drop_pct": drop_pct,
                "drop_amount": drop_amount,
                "drop_date": drop_date,
                "target_hit": target_hit,
                "drops": drops,
                "insufficient_history": insufficient_history,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.price_drop import PriceDrop  # noqa: PLC0415
        from ..models.query_reading import QueryReading  # noqa: PLC0415
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

        dropped = d.pop("dropped")

        def _parse_from_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        from_price = _parse_from_price(d.pop("from_price"))

        def _parse_to_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        to_price = _parse_to_price(d.pop("to_price"))

        def _parse_drop_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        drop_pct = _parse_drop_pct(d.pop("drop_pct"))

        def _parse_drop_amount(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        drop_amount = _parse_drop_amount(d.pop("drop_amount"))

        def _parse_drop_date(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                drop_date_type_0 = datetime.date.fromisoformat(data)

                return drop_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        drop_date = _parse_drop_date(d.pop("drop_date"))

        def _parse_target_hit(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        target_hit = _parse_target_hit(d.pop("target_hit"))

        drops = []
        _drops = d.pop("drops")
        for drops_item_data in _drops:
            drops_item = PriceDrop.from_dict(drops_item_data)

            drops.append(drops_item)

        insufficient_history = d.pop("insufficient_history")

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_drop_alert_answer = cls(
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
            dropped=dropped,
            from_price=from_price,
            to_price=to_price,
            drop_pct=drop_pct,
            drop_amount=drop_amount,
            drop_date=drop_date,
            target_hit=target_hit,
            drops=drops,
            insufficient_history=insufficient_history,
            meta=meta,
        )

        price_drop_alert_answer.additional_properties = d
        return price_drop_alert_answer

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
