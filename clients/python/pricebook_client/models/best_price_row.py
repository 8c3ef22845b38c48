from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.item_status import ItemStatus, check_item_status
from ..models.product_scope import ProductScope, check_product_scope
from ..models.suspect_reason import SuspectReason, check_suspect_reason

if TYPE_CHECKING:
    from ..models.best_offer import BestOffer


T = TypeVar("T", bound="BestPriceRow")


@_attrs_define
class BestPriceRow:
    """What best-price says of one id."""

    item: str
    """ The id: a uid as given, a usable barcode as a GTIN of 14 digits. """
    status: ItemStatus
    """ What became of an id. """
    entity_uid: None | str
    """ The product across retailers; null without a price. """
    scope: None | ProductScope
    """ Whether prices span several listings; null without a price. """
    member_count: int | None
    """ Number of listings of the product in the country, priced or not; null without a price. """
    match_suspect: bool | None
    """ Whether the product may combine materially different ones; null without a price. """
    match_suspect_reasons: list[SuspectReason] | None
    """ Why it may; null without a price. """
    retailer_count: int | None
    """ Retailers that offer it; null without a price. """
    highest_price: float | None
    """ Highest current price of its offers; null without a price. """
    best_price: BestOffer | None
    """ The best offer, as best-price has it; null without a price. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.best_offer import BestOffer  # noqa: PLC0415

        item = self.item

        status: str = self.status

        entity_uid: None | str
        entity_uid = self.entity_uid

        scope: None | str
        if isinstance(self.scope, str):
            scope = self.scope
        else:
            scope = self.scope

        member_count: int | None
        member_count = self.member_count

        match_suspect: bool | None
        match_suspect = self.match_suspect

        match_suspect_reasons: list[str] | None
        if isinstance(self.match_suspect_reasons, list):
            match_suspect_reasons = []
            for match_suspect_reasons_type_0_item_data in self.match_suspect_reasons:
                match_suspect_reasons_type_0_item: str = (
                    match_suspect_reasons_type_0_item_data
                )
                match_suspect_reasons.append(match_suspect_reasons_type_0_item)

        else:
            match_suspect_reasons = self.match_suspect_reasons

        retailer_count: int | None
        retailer_count = self.retailer_count

        highest_price: float | None
        highest_price = self.highest_price

        best_price: dict[str, Any] | None
        if isinstance(self.best_price, BestOffer):
            best_price = self.best_price.to_dict()
        else:
            best_price = self.best_price

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "item": item,
                "status": status,
                "entity_uid": entity_uid,
                "scope": scope,
                "member_count": member_count,
                "match_suspect": match_suspect,
                "match_suspect_reasons": match_suspect_reasons,
                "retailer_count": retailer_count,
                "highest_price": highest_price,
                "best_price": best_price,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.best_offer import BestOffer  # noqa: PLC0415

        d = dict(src_dict)
        item = d.pop("item")

        status = check_item_status(d.pop("status"))

        def _parse_entity_uid(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        entity_uid = _parse_entity_uid(d.pop("entity_uid"))

        def _parse_scope(data: object) -> None | ProductScope:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scope_type_0 = check_product_scope(data)

                return scope_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ProductScope, data)

        scope = _parse_scope(d.pop("scope"))

        def _parse_member_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        member_count = _parse_member_count(d.pop("member_count"))

        def _parse_match_suspect(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        match_suspect = _parse_match_suspect(d.pop("match_suspect"))

        def _parse_match_suspect_reasons(data: object) -> list[SuspectReason] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                match_suspect_reasons_type_0 = []
                _match_suspect_reasons_type_0 = data
                for (
                    match_suspect_reasons_type_0_item_data
                ) in _match_suspect_reasons_type_0:
                    match_suspect_reasons_type_0_item = check_suspect_reason(
                        match_suspect_reasons_type_0_item_data
                    )

                    match_suspect_reasons_type_0.append(
                        match_suspect_reasons_type_0_item
                    )

                return match_suspect_reasons_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[SuspectReason] | None, data)

        match_suspect_reasons = _parse_match_suspect_reasons(
            d.pop("match_suspect_reasons")
        )

        def _parse_retailer_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        retailer_count = _parse_retailer_count(d.pop("retailer_count"))

        def _parse_highest_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        highest_price = _parse_highest_price(d.pop("highest_price"))

        def _parse_best_price(data: object) -> BestOffer | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                best_price_type_0 = BestOffer.from_dict(data)

                return best_price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BestOffer | None, data)

        best_price = _parse_best_price(d.pop("best_price"))

        best_price_row = cls(
            item=item,
            status=status,
            entity_uid=entity_uid,
            scope=scope,
            member_count=member_count,
            match_suspect=match_suspect,
            match_suspect_reasons=match_suspect_reasons,
            retailer_count=retailer_count,
            highest_price=highest_price,
            best_price=best_price,
        )

        best_price_row.additional_properties = d
        return best_price_row

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
