from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.product_scope import ProductScope, check_product_scope
from ..models.suspect_reason import SuspectReason, check_suspect_reason

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.best_offer import BestOffer
    from ..models.likely_offer import LikelyOffer
    from ..models.listing_gpc import ListingGpc
    from ..models.product_offer import ProductOffer
    from ..models.query_reading import QueryReading
    from ..models.related_offer import RelatedOffer
    from ..models.resolved_product import ResolvedProduct
    from ..models.term_correction import TermCorrection


T = TypeVar("T", bound="BestPriceAnswer")


@_attrs_define
class BestPriceAnswer:
    """Answer of best-price."""

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
    """ The resolved listing: the pinned one, the best text match, or the best offer. """
    entity_uid: None | str
    """ The product's entity; null when scope is `listing`. """
    scope: ProductScope
    """ Whether prices span several listings. """
    member_count: int
    """ Number of listings of the product in the country, priced or not. """
    match_suspect: bool
    """ Whether the entity may combine materially different products, so that the lowest price may be that of
    another one; then prefer strict or a product_uid. """
    match_suspect_reasons: list[SuspectReason]
    """ Why it may; empty when it is not suspect. """
    retailers_compared: int
    """ Distinct retailers across best_price and other_prices as served; 1 means nothing to compare with. """
    resolved_product: ResolvedProduct
    """ The resolved listing. """
    gpc: ListingGpc | None
    """ Product type of the resolved listing; null without a mapping. """
    best_price: BestOffer
    """ The best offer. """
    other_prices: list[ProductOffer]
    """ The other offers in the same order. """
    likely_matches: list[LikelyOffer] | None
    """ Offers of what is likely the same product, one per retailer, in the same order; null unless linking is
    `likely`. Linked by name, not by barcode; verify before you rely on it. No other figure of the answer counts
    them. """
    likely_cheaper: bool | None
    """ Whether a likely match, shown or not, that is new and not out of stock costs less than best_price; null
    unless linking is `likely`. Linked by name, not by barcode; verify before you rely on it. """
    related_matches: list[RelatedOffer]
    """ Text matches outside the product, one per entity at its cheapest; not prices of the same product. Where
    those that hold all words of q run out, those that hold at least half of them follow. """
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

        entity_uid: None | str
        entity_uid = self.entity_uid

        scope: str = self.scope

        member_count = self.member_count

        match_suspect = self.match_suspect

        match_suspect_reasons = []
        for match_suspect_reasons_item_data in self.match_suspect_reasons:
            match_suspect_reasons_item: str = match_suspect_reasons_item_data
            match_suspect_reasons.append(match_suspect_reasons_item)

        retailers_compared = self.retailers_compared

        resolved_product = self.resolved_product.to_dict()

        gpc: dict[str, Any] | None
        if isinstance(self.gpc, ListingGpc):
            gpc = self.gpc.to_dict()
        else:
            gpc = self.gpc

        best_price = self.best_price.to_dict()

        other_prices = []
        for other_prices_item_data in self.other_prices:
            other_prices_item = other_prices_item_data.to_dict()
            other_prices.append(other_prices_item)

        likely_matches: list[dict[str, Any]] | None
        if isinstance(self.likely_matches, list):
            likely_matches = []
            for likely_matches_type_0_item_data in self.likely_matches:
                likely_matches_type_0_item = likely_matches_type_0_item_data.to_dict()
                likely_matches.append(likely_matches_type_0_item)

        else:
            likely_matches = self.likely_matches

        likely_cheaper: bool | None
        likely_cheaper = self.likely_cheaper

        related_matches = []
        for related_matches_item_data in self.related_matches:
            related_matches_item = related_matches_item_data.to_dict()
            related_matches.append(related_matches_item)

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
                "scope": scope,
                "member_count": member_count,
                "match_suspect": match_suspect,
                "match_suspect_reasons": match_suspect_reasons,
                "retailers_compared": retailers_compared,
                "resolved_product": resolved_product,
                "gpc": gpc,
                "best_price": best_price,
                "other_prices": other_prices,
                "likely_matches": likely_matches,
                "likely_cheaper": likely_cheaper,
                "related_matches": related_matches,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.best_offer import BestOffer  # noqa: PLC0415
        from ..models.likely_offer import LikelyOffer  # noqa: PLC0415
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.product_offer import ProductOffer  # noqa: PLC0415
        from ..models.query_reading import QueryReading  # noqa: PLC0415
        from ..models.related_offer import RelatedOffer  # noqa: PLC0415
        from ..models.resolved_product import ResolvedProduct  # noqa: PLC0415
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

        def _parse_entity_uid(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        entity_uid = _parse_entity_uid(d.pop("entity_uid"))

        scope = check_product_scope(d.pop("scope"))

        member_count = d.pop("member_count")

        match_suspect = d.pop("match_suspect")

        match_suspect_reasons = []
        _match_suspect_reasons = d.pop("match_suspect_reasons")
        for match_suspect_reasons_item_data in _match_suspect_reasons:
            match_suspect_reasons_item = check_suspect_reason(
                match_suspect_reasons_item_data
            )

            match_suspect_reasons.append(match_suspect_reasons_item)

        retailers_compared = d.pop("retailers_compared")

        resolved_product = ResolvedProduct.from_dict(d.pop("resolved_product"))

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

        best_price = BestOffer.from_dict(d.pop("best_price"))

        other_prices = []
        _other_prices = d.pop("other_prices")
        for other_prices_item_data in _other_prices:
            other_prices_item = ProductOffer.from_dict(other_prices_item_data)

            other_prices.append(other_prices_item)

        def _parse_likely_matches(data: object) -> list[LikelyOffer] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                likely_matches_type_0 = []
                _likely_matches_type_0 = data
                for likely_matches_type_0_item_data in _likely_matches_type_0:
                    likely_matches_type_0_item = LikelyOffer.from_dict(
                        likely_matches_type_0_item_data
                    )

                    likely_matches_type_0.append(likely_matches_type_0_item)

                return likely_matches_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[LikelyOffer] | None, data)

        likely_matches = _parse_likely_matches(d.pop("likely_matches"))

        def _parse_likely_cheaper(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        likely_cheaper = _parse_likely_cheaper(d.pop("likely_cheaper"))

        related_matches = []
        _related_matches = d.pop("related_matches")
        for related_matches_item_data in _related_matches:
            related_matches_item = RelatedOffer.from_dict(related_matches_item_data)

            related_matches.append(related_matches_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        best_price_answer = cls(
            query=query,
            corrected_terms=corrected_terms,
            dropped_terms=dropped_terms,
            match_quality=match_quality,
            understood_as=understood_as,
            country=country,
            currency=currency,
            product_uid=product_uid,
            entity_uid=entity_uid,
            scope=scope,
            member_count=member_count,
            match_suspect=match_suspect,
            match_suspect_reasons=match_suspect_reasons,
            retailers_compared=retailers_compared,
            resolved_product=resolved_product,
            gpc=gpc,
            best_price=best_price,
            other_prices=other_prices,
            likely_matches=likely_matches,
            likely_cheaper=likely_cheaper,
            related_matches=related_matches,
            meta=meta,
        )

        best_price_answer.additional_properties = d
        return best_price_answer

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
