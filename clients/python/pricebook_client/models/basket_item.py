from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.item_status import ItemStatus, check_item_status
from ..models.suspect_reason import SuspectReason, check_suspect_reason

if TYPE_CHECKING:
    from ..models.basket_offer import BasketOffer


T = TypeVar("T", bound="BasketItem")


@_attrs_define
class BasketItem:
    """An item of the basket."""

    item: str
    """ The id: a uid as given, a usable barcode as a GTIN of 14 digits. """
    quantity: int
    """ How many of it. """
    status: ItemStatus
    """ What became of an id. """
    entity_uid: None | str
    """ The product across retailers; null where nobody offers it. """
    product_name: None | str
    """ Name of the cheapest offer; null where nobody offers it. """
    match_suspect: bool | None
    """ Whether the product may combine materially different ones; null where nobody offers it. """
    match_suspect_reasons: list[SuspectReason] | None
    """ Why it may; null where nobody offers it. """
    offers: list[BasketOffer]
    """ The lowest offer of each retailer that is new or of unknown condition and not out of stock, the cheapest
    first. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        item = self.item

        quantity = self.quantity

        status: str = self.status

        entity_uid: None | str
        entity_uid = self.entity_uid

        product_name: None | str
        product_name = self.product_name

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

        offers = []
        for offers_item_data in self.offers:
            offers_item = offers_item_data.to_dict()
            offers.append(offers_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "item": item,
                "quantity": quantity,
                "status": status,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "match_suspect": match_suspect,
                "match_suspect_reasons": match_suspect_reasons,
                "offers": offers,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.basket_offer import BasketOffer  # noqa: PLC0415

        d = dict(src_dict)
        item = d.pop("item")

        quantity = d.pop("quantity")

        status = check_item_status(d.pop("status"))

        def _parse_entity_uid(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        entity_uid = _parse_entity_uid(d.pop("entity_uid"))

        def _parse_product_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        product_name = _parse_product_name(d.pop("product_name"))

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

        offers = []
        _offers = d.pop("offers")
        for offers_item_data in _offers:
            offers_item = BasketOffer.from_dict(offers_item_data)

            offers.append(offers_item)

        basket_item = cls(
            item=item,
            quantity=quantity,
            status=status,
            entity_uid=entity_uid,
            product_name=product_name,
            match_suspect=match_suspect,
            match_suspect_reasons=match_suspect_reasons,
            offers=offers,
        )

        basket_item.additional_properties = d
        return basket_item

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
