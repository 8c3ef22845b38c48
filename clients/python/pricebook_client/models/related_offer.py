from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition
from ..models.match_type import MatchType, check_match_type

if TYPE_CHECKING:
    from ..models.pack import Pack
    from ..models.unit_price import UnitPrice


T = TypeVar("T", bound="RelatedOffer")


@_attrs_define
class RelatedOffer:
    """A related product."""

    product_uid: str
    """ Stable id of the listing. """
    entity_uid: None | str
    """ Null in related_matches and likely_matches for a product with one listing. """
    retailer: str
    """ Retailer platform key. """
    product_name: str
    """ Name at the retailer. """
    price: float
    """ Current price: that of the latest observation, in currency. """
    in_stock: bool | None
    """ Whether the listing was in stock when its price was observed; null when the source does not say. """
    condition: Condition
    """ The state in which a listing is sold. """
    match_type: MatchType
    """ How a row belongs to what was asked for. """
    observed_at: datetime.datetime
    """ Instant of the observation; the start of its day where the source has days only. """
    pack: None | Pack
    """ Pack size as the name says it; null when it says none, or several. """
    unit_price: None | UnitPrice
    """ Current price per customary unit of the country; null without a pack. """
    matched_terms: list[int] | None
    """ How many different terms of q its best match holds, and how many were searched for: [matched, of]; null for
    look-ups by uid or barcode. """
    match_quality: float | None
    """ Share of q's weight that its best match satisfies, 0 to 1; null for look-ups by uid or barcode. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.pack import Pack  # noqa: PLC0415
        from ..models.unit_price import UnitPrice  # noqa: PLC0415

        product_uid = self.product_uid

        entity_uid: None | str
        entity_uid = self.entity_uid

        retailer = self.retailer

        product_name = self.product_name

        price = self.price

        in_stock: bool | None
        in_stock = self.in_stock

        condition: str = self.condition

        match_type: str = self.match_type

        observed_at = self.observed_at.isoformat()

        pack: dict[str, Any] | None
        if isinstance(self.pack, Pack):
            pack = self.pack.to_dict()
        else:
            pack = self.pack

        unit_price: dict[str, Any] | None
        if isinstance(self.unit_price, UnitPrice):
            unit_price = self.unit_price.to_dict()
        else:
            unit_price = self.unit_price

        matched_terms: list[int] | None
        if isinstance(self.matched_terms, list):
            matched_terms = self.matched_terms

        else:
            matched_terms = self.matched_terms

        match_quality: float | None
        match_quality = self.match_quality

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "retailer": retailer,
                "product_name": product_name,
                "price": price,
                "in_stock": in_stock,
                "condition": condition,
                "match_type": match_type,
                "observed_at": observed_at,
                "pack": pack,
                "unit_price": unit_price,
                "matched_terms": matched_terms,
                "match_quality": match_quality,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pack import Pack  # noqa: PLC0415
        from ..models.unit_price import UnitPrice  # noqa: PLC0415

        d = dict(src_dict)
        product_uid = d.pop("product_uid")

        def _parse_entity_uid(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        entity_uid = _parse_entity_uid(d.pop("entity_uid"))

        retailer = d.pop("retailer")

        product_name = d.pop("product_name")

        price = d.pop("price")

        def _parse_in_stock(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        in_stock = _parse_in_stock(d.pop("in_stock"))

        condition = check_condition(d.pop("condition"))

        match_type = check_match_type(d.pop("match_type"))

        observed_at = datetime.datetime.fromisoformat(d.pop("observed_at"))

        def _parse_pack(data: object) -> None | Pack:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pack_type_0 = Pack.from_dict(data)

                return pack_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Pack, data)

        pack = _parse_pack(d.pop("pack"))

        def _parse_unit_price(data: object) -> None | UnitPrice:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                unit_price_type_0 = UnitPrice.from_dict(data)

                return unit_price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UnitPrice, data)

        unit_price = _parse_unit_price(d.pop("unit_price"))

        def _parse_matched_terms(data: object) -> list[int] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                matched_terms_type_0 = cast(list[int], data)

                return matched_terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None, data)

        matched_terms = _parse_matched_terms(d.pop("matched_terms"))

        def _parse_match_quality(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        match_quality = _parse_match_quality(d.pop("match_quality"))

        related_offer = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            retailer=retailer,
            product_name=product_name,
            price=price,
            in_stock=in_stock,
            condition=condition,
            match_type=match_type,
            observed_at=observed_at,
            pack=pack,
            unit_price=unit_price,
            matched_terms=matched_terms,
            match_quality=match_quality,
        )

        related_offer.additional_properties = d
        return related_offer

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
