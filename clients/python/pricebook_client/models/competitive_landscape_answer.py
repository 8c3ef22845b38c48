from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.listing_item import ListingItem
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="CompetitiveLandscapeAnswer")


@_attrs_define
class CompetitiveLandscapeAnswer:
    """Answer of competitive-landscape."""

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
    items: list[ListingItem]
    """ One page of priced listings in the order of sort; empty for a cursor past the last. """
    next_cursor: int | None
    """ What to send as cursor for the next page; null when there is none. """
    has_more: bool
    """ Whether there is a next page. """
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

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        next_cursor: int | None
        next_cursor = self.next_cursor

        has_more = self.has_more

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
                "items": items,
                "next_cursor": next_cursor,
                "has_more": has_more,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.listing_item import ListingItem  # noqa: PLC0415
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

        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = ListingItem.from_dict(items_item_data)

            items.append(items_item)

        def _parse_next_cursor(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))

        has_more = d.pop("has_more")

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        competitive_landscape_answer = cls(
            category=category,
            department=department,
            country=country,
            currency=currency,
            retailer=retailer,
            items=items,
            next_cursor=next_cursor,
            has_more=has_more,
            resolved=resolved,
            meta=meta,
        )

        competitive_landscape_answer.additional_properties = d
        return competitive_landscape_answer

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
