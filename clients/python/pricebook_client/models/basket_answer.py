from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.basket_item import BasketItem
    from ..models.retailer_basket import RetailerBasket
    from ..models.shared_basket import SharedBasket


T = TypeVar("T", bound="BasketAnswer")


@_attrs_define
class BasketAnswer:
    """Answer of basket."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    requested_items: int
    """ Items that were asked for. """
    resolved_items: int
    """ Of these, those that somebody offers. """
    missing: list[str]
    """ Ids that nobody offers, in the order of the request. """
    items: list[BasketItem]
    """ A row for each item, in the order of the request. """
    retailer_count: int
    """ Retailers that offer any of the items. """
    retailers: list[RetailerBasket]
    """ What each retailer asks, at most 20: who carries most items first, then by completed_total, then by key. """
    single: None | RetailerBasket
    """ The first of these: everything at one retailer, as far as it goes. """
    pair: None | SharedBasket
    """ The two retailers that carry most together, each item at the cheaper one, then the cheapest pair; null where
    one retailer offers everything there is. """
    split: SharedBasket
    """ The basket at several retailers. """
    split_saving: float
    """ What split saves against single with what that lacks bought elsewhere. """
    split_saving_pct: float
    """ The same in percent of the latter. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.retailer_basket import RetailerBasket  # noqa: PLC0415
        from ..models.shared_basket import SharedBasket  # noqa: PLC0415

        country: str = self.country

        currency = self.currency

        requested_items = self.requested_items

        resolved_items = self.resolved_items

        missing = self.missing

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        retailer_count = self.retailer_count

        retailers = []
        for retailers_item_data in self.retailers:
            retailers_item = retailers_item_data.to_dict()
            retailers.append(retailers_item)

        single: dict[str, Any] | None
        if isinstance(self.single, RetailerBasket):
            single = self.single.to_dict()
        else:
            single = self.single

        pair: dict[str, Any] | None
        if isinstance(self.pair, SharedBasket):
            pair = self.pair.to_dict()
        else:
            pair = self.pair

        split = self.split.to_dict()

        split_saving = self.split_saving

        split_saving_pct = self.split_saving_pct

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "country": country,
                "currency": currency,
                "requested_items": requested_items,
                "resolved_items": resolved_items,
                "missing": missing,
                "items": items,
                "retailer_count": retailer_count,
                "retailers": retailers,
                "single": single,
                "pair": pair,
                "split": split,
                "split_saving": split_saving,
                "split_saving_pct": split_saving_pct,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.basket_item import BasketItem  # noqa: PLC0415
        from ..models.retailer_basket import RetailerBasket  # noqa: PLC0415
        from ..models.shared_basket import SharedBasket  # noqa: PLC0415

        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        requested_items = d.pop("requested_items")

        resolved_items = d.pop("resolved_items")

        missing = cast(list[str], d.pop("missing"))

        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = BasketItem.from_dict(items_item_data)

            items.append(items_item)

        retailer_count = d.pop("retailer_count")

        retailers = []
        _retailers = d.pop("retailers")
        for retailers_item_data in _retailers:
            retailers_item = RetailerBasket.from_dict(retailers_item_data)

            retailers.append(retailers_item)

        def _parse_single(data: object) -> None | RetailerBasket:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                single_type_0 = RetailerBasket.from_dict(data)

                return single_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RetailerBasket, data)

        single = _parse_single(d.pop("single"))

        def _parse_pair(data: object) -> None | SharedBasket:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pair_type_0 = SharedBasket.from_dict(data)

                return pair_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SharedBasket, data)

        pair = _parse_pair(d.pop("pair"))

        split = SharedBasket.from_dict(d.pop("split"))

        split_saving = d.pop("split_saving")

        split_saving_pct = d.pop("split_saving_pct")

        meta = AnswerMeta.from_dict(d.pop("meta"))

        basket_answer = cls(
            country=country,
            currency=currency,
            requested_items=requested_items,
            resolved_items=resolved_items,
            missing=missing,
            items=items,
            retailer_count=retailer_count,
            retailers=retailers,
            single=single,
            pair=pair,
            split=split,
            split_saving=split_saving,
            split_saving_pct=split_saving_pct,
            meta=meta,
        )

        basket_answer.additional_properties = d
        return basket_answer

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
