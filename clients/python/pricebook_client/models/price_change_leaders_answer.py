from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_direction import ChangeDirection, check_change_direction
from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.compared_bands import ComparedBands
    from ..models.price_change_item import PriceChangeItem
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="PriceChangeLeadersAnswer")


@_attrs_define
class PriceChangeLeadersAnswer:
    """Answer of price-change-leaders. Products are listings of condition new."""

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
    win: int
    """ Days between the two bands. """
    direction: ChangeDirection
    """ Which changes are listed. """
    bands: ComparedBands
    """ The days that are compared, all inclusive. """
    matched: int
    """ Products observed in both bands. """
    rising: int
    """ Of these, those that went up by more than 1 %. """
    stable: int
    """ Those that stayed within 1 %. """
    falling: int
    """ Those that went down by more than 1 %. """
    trimmed: int
    """ Those left out as errors: to less than half or more than double. """
    leaders: int
    """ Products that moved in the direction that was asked for, errors left out. """
    items: list[PriceChangeItem]
    """ A page of them: those that moved by the greatest factor first, then by product_uid. """
    next_cursor: int | None
    """ What to send as cursor for the next page; null when there is none. """
    has_more: bool
    """ Whether there is a next page. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        country: str = self.country

        currency = self.currency

        category = self.category

        department: None | str
        department = self.department

        retailer: None | str
        retailer = self.retailer

        resolved = self.resolved.to_dict()

        win = self.win

        direction: str = self.direction

        bands = self.bands.to_dict()

        matched = self.matched

        rising = self.rising

        stable = self.stable

        falling = self.falling

        trimmed = self.trimmed

        leaders = self.leaders

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        next_cursor: int | None
        next_cursor = self.next_cursor

        has_more = self.has_more

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
                "win": win,
                "direction": direction,
                "bands": bands,
                "matched": matched,
                "rising": rising,
                "stable": stable,
                "falling": falling,
                "trimmed": trimmed,
                "leaders": leaders,
                "items": items,
                "next_cursor": next_cursor,
                "has_more": has_more,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.compared_bands import ComparedBands  # noqa: PLC0415
        from ..models.price_change_item import PriceChangeItem  # noqa: PLC0415
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

        win = d.pop("win")

        direction = check_change_direction(d.pop("direction"))

        bands = ComparedBands.from_dict(d.pop("bands"))

        matched = d.pop("matched")

        rising = d.pop("rising")

        stable = d.pop("stable")

        falling = d.pop("falling")

        trimmed = d.pop("trimmed")

        leaders = d.pop("leaders")

        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = PriceChangeItem.from_dict(items_item_data)

            items.append(items_item)

        def _parse_next_cursor(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))

        has_more = d.pop("has_more")

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_change_leaders_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            resolved=resolved,
            win=win,
            direction=direction,
            bands=bands,
            matched=matched,
            rising=rising,
            stable=stable,
            falling=falling,
            trimmed=trimmed,
            leaders=leaders,
            items=items,
            next_cursor=next_cursor,
            has_more=has_more,
            meta=meta,
        )

        price_change_leaders_answer.additional_properties = d
        return price_change_leaders_answer

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
