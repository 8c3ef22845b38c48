from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition
from ..models.match_type import MatchType, check_match_type

if TYPE_CHECKING:
    from ..models.listing_gpc import ListingGpc
    from ..models.pack import Pack
    from ..models.unit_price import UnitPrice


T = TypeVar("T", bound="PriceChangeItem")


@_attrs_define
class PriceChangeItem:
    """A product whose price moved."""

    product_uid: str
    """ Stable id of the listing. """
    entity_uid: str
    """ Stable id of the product across retailers. """
    product_id: str
    """ Id of the product at the retailer. """
    product_name: str
    """ Name at the retailer. """
    brand: None | str
    """ Display label of the brand; null for a listing without one. """
    retailer: str
    """ Retailer platform key. """
    price: float
    """ Current price: that of the latest observation, in currency. """
    list_price: float | None
    """ List price as the source has it, believed or not; null when it has none. """
    discount_pct: float | None
    """ Discount against the list price in percent; null without a believed list price above the price. """
    star_rating: float | None
    """ Star rating as the source has it, on its scale; null when it has none. """
    review_count: int | None
    """ Number of reviews as the source has it; null when it has none. """
    promo_flag: bool
    """ Whether the latest observation is on promotion: the source says so, or the price is below a believed list
    price. """
    in_stock: bool | None
    """ Whether the listing was in stock when its price was observed; null when the source does not say. """
    condition: Condition
    """ The state in which a listing is sold. """
    match_type: MatchType
    """ How a row belongs to what was asked for. """
    observed_at: datetime.datetime
    """ Instant of the observation; the start of its day where the source has days only. """
    scraped_at: datetime.datetime
    """ The same instant as observed_at. """
    gpc: ListingGpc | None
    """ Product type; null where the category has no mapping. """
    pack: None | Pack
    """ Pack size as the name says it; null when it says none, or several. """
    unit_price: None | UnitPrice
    """ Current price per customary unit of the country; null without a pack. """
    from_price: float
    """ Lowest price in the base band, in currency. """
    to_price: float
    """ Lowest price in the recent band. """
    change_pct: float
    """ Change from the one to the other in percent. """
    change_amount: float
    """ The same in currency. """
    base_days: int
    """ Days of the base band on which it was observed. """
    recent_days: int
    """ Days of the recent band on which it was observed. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.pack import Pack  # noqa: PLC0415
        from ..models.unit_price import UnitPrice  # noqa: PLC0415

        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_id = self.product_id

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        retailer = self.retailer

        price = self.price

        list_price: float | None
        list_price = self.list_price

        discount_pct: float | None
        discount_pct = self.discount_pct

        star_rating: float | None
        star_rating = self.star_rating

        review_count: int | None
        review_count = self.review_count

        promo_flag = self.promo_flag

        in_stock: bool | None
        in_stock = self.in_stock

        condition: str = self.condition

        match_type: str = self.match_type

        observed_at = self.observed_at.isoformat()

        scraped_at = self.scraped_at.isoformat()

        gpc: dict[str, Any] | None
        if isinstance(self.gpc, ListingGpc):
            gpc = self.gpc.to_dict()
        else:
            gpc = self.gpc

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

        from_price = self.from_price

        to_price = self.to_price

        change_pct = self.change_pct

        change_amount = self.change_amount

        base_days = self.base_days

        recent_days = self.recent_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_id": product_id,
                "product_name": product_name,
                "brand": brand,
                "retailer": retailer,
                "price": price,
                "list_price": list_price,
                "discount_pct": discount_pct,
                "star_rating": star_rating,
                "review_count": review_count,
                "promo_flag": promo_flag,
                "in_stock": in_stock,
                "condition": condition,
                "match_type": match_type,
                "observed_at": observed_at,
                "scraped_at": scraped_at,
                "gpc": gpc,
                "pack": pack,
                "unit_price": unit_price,
                "from_price": from_price,
                "to_price": to_price,
                "change_pct": change_pct,
                "change_amount": change_amount,
                "base_days": base_days,
                "recent_days": recent_days,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.listing_gpc import ListingGpc  # noqa: PLC0415
        from ..models.pack import Pack  # noqa: PLC0415
        from ..models.unit_price import UnitPrice  # noqa: PLC0415

        d = dict(src_dict)
        product_uid = d.pop("product_uid")

        entity_uid = d.pop("entity_uid")

        product_id = d.pop("product_id")

        product_name = d.pop("product_name")

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        retailer = d.pop("retailer")

        price = d.pop("price")

        def _parse_list_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        list_price = _parse_list_price(d.pop("list_price"))

        def _parse_discount_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        discount_pct = _parse_discount_pct(d.pop("discount_pct"))

        def _parse_star_rating(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        star_rating = _parse_star_rating(d.pop("star_rating"))

        def _parse_review_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        review_count = _parse_review_count(d.pop("review_count"))

        promo_flag = d.pop("promo_flag")

        def _parse_in_stock(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        in_stock = _parse_in_stock(d.pop("in_stock"))

        condition = check_condition(d.pop("condition"))

        match_type = check_match_type(d.pop("match_type"))

        observed_at = datetime.datetime.fromisoformat(d.pop("observed_at"))

        scraped_at = datetime.datetime.fromisoformat(d.pop("scraped_at"))

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

        from_price = d.pop("from_price")

        to_price = d.pop("to_price")

        change_pct = d.pop("change_pct")

        change_amount = d.pop("change_amount")

        base_days = d.pop("base_days")

        recent_days = d.pop("recent_days")

        price_change_item = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_id=product_id,
            product_name=product_name,
            brand=brand,
            retailer=retailer,
            price=price,
            list_price=list_price,
            discount_pct=discount_pct,
            star_rating=star_rating,
            review_count=review_count,
            promo_flag=promo_flag,
            in_stock=in_stock,
            condition=condition,
            match_type=match_type,
            observed_at=observed_at,
            scraped_at=scraped_at,
            gpc=gpc,
            pack=pack,
            unit_price=unit_price,
            from_price=from_price,
            to_price=to_price,
            change_pct=change_pct,
            change_amount=change_amount,
            base_days=base_days,
            recent_days=recent_days,
        )

        price_change_item.additional_properties = d
        return price_change_item

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
