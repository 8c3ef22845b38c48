from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.quoted_category import QuotedCategory
    from ..models.quoted_code import QuotedCode
    from ..models.quoted_items import QuotedItems
    from ..models.quoted_price import QuotedPrice
    from ..models.quoted_product import QuotedProduct
    from ..models.rail_offer import RailOffer


T = TypeVar("T", bound="Quote")


@_attrs_define
class Quote:
    """What a paid request costs, how it can be paid, and what it was understood to be about. What the request is about
    stands in the members that fit its endpoint; the others are absent.

    """

    quote: bool
    """ Always true. """
    endpoint: str
    """ Path of the endpoint. """
    price: QuotedPrice
    """ What an answer costs. """
    rails: list[RailOffer]
    """ Ways to pay that are open now, the preferred first; empty where the server answers for nothing. """
    resolved: QuotedCategory | Unset = UNSET
    """ The category that a request was understood to be about. """
    product: QuotedProduct | Unset = UNSET
    """ The product that a request was understood to be about. """
    likely: bool | Unset = UNSET
    """ Whether the answer has likely matches. Of best-price with `linking=likely` only. """
    brand: str | Unset = UNSET
    """ Display label of the brand that the request is about. Absent where it is not about one brand. """
    items: QuotedItems | Unset = UNSET
    """ The ids of a batch. """
    codes: list[QuotedCode] | Unset = UNSET
    """ Codes of the request that would be answered, each once, in its order. Of brick-attributes only. """
    unresolved: list[str] | Unset = UNSET
    """ Codes of the request that the publication does not have. Of brick-attributes only. """
    phrases: list[str] | Unset = UNSET
    """ Phrases of the request as they were read, in its order. Of classify only. """
    gpc_release: str | Unset = UNSET
    """ Release of the classification that would answer, the year and month of its publication. Of the reference
    endpoints only. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        quote = self.quote

        endpoint = self.endpoint

        price = self.price.to_dict()

        rails = []
        for rails_item_data in self.rails:
            rails_item = rails_item_data.to_dict()
            rails.append(rails_item)

        resolved: dict[str, Any] | Unset = UNSET
        if not isinstance(self.resolved, Unset):
            resolved = self.resolved.to_dict()

        product: dict[str, Any] | Unset = UNSET
        if not isinstance(self.product, Unset):
            product = self.product.to_dict()

        likely = self.likely

        brand = self.brand

        items: dict[str, Any] | Unset = UNSET
        if not isinstance(self.items, Unset):
            items = self.items.to_dict()

        codes: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.codes, Unset):
            codes = []
            for codes_item_data in self.codes:
                codes_item = codes_item_data.to_dict()
                codes.append(codes_item)

        unresolved: list[str] | Unset = UNSET
        if not isinstance(self.unresolved, Unset):
            unresolved = self.unresolved

        phrases: list[str] | Unset = UNSET
        if not isinstance(self.phrases, Unset):
            phrases = self.phrases

        gpc_release = self.gpc_release

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "quote": quote,
                "endpoint": endpoint,
                "price": price,
                "rails": rails,
            }
        )
        if resolved is not UNSET:
            field_dict["resolved"] = resolved
        if product is not UNSET:
            field_dict["product"] = product
        if likely is not UNSET:
            field_dict["likely"] = likely
        if brand is not UNSET:
            field_dict["brand"] = brand
        if items is not UNSET:
            field_dict["items"] = items
        if codes is not UNSET:
            field_dict["codes"] = codes
        if unresolved is not UNSET:
            field_dict["unresolved"] = unresolved
        if phrases is not UNSET:
            field_dict["phrases"] = phrases
        if gpc_release is not UNSET:
            field_dict["gpc_release"] = gpc_release

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.quoted_category import QuotedCategory  # noqa: PLC0415
        from ..models.quoted_code import QuotedCode  # noqa: PLC0415
        from ..models.quoted_items import QuotedItems  # noqa: PLC0415
        from ..models.quoted_price import QuotedPrice  # noqa: PLC0415
        from ..models.quoted_product import QuotedProduct  # noqa: PLC0415
        from ..models.rail_offer import RailOffer  # noqa: PLC0415

        d = dict(src_dict)
        quote = d.pop("quote")

        endpoint = d.pop("endpoint")

        price = QuotedPrice.from_dict(d.pop("price"))

        rails = []
        _rails = d.pop("rails")
        for rails_item_data in _rails:
            rails_item = RailOffer.from_dict(rails_item_data)

            rails.append(rails_item)

        _resolved = d.pop("resolved", UNSET)
        resolved: QuotedCategory | Unset
        if isinstance(_resolved, Unset):
            resolved = UNSET
        else:
            resolved = QuotedCategory.from_dict(_resolved)

        _product = d.pop("product", UNSET)
        product: QuotedProduct | Unset
        if isinstance(_product, Unset):
            product = UNSET
        else:
            product = QuotedProduct.from_dict(_product)

        likely = d.pop("likely", UNSET)

        brand = d.pop("brand", UNSET)

        _items = d.pop("items", UNSET)
        items: QuotedItems | Unset
        if isinstance(_items, Unset):
            items = UNSET
        else:
            items = QuotedItems.from_dict(_items)

        _codes = d.pop("codes", UNSET)
        codes: list[QuotedCode] | Unset = UNSET
        if _codes is not UNSET:
            codes = []
            for codes_item_data in _codes:
                codes_item = QuotedCode.from_dict(codes_item_data)

                codes.append(codes_item)

        unresolved = cast(list[str], d.pop("unresolved", UNSET))

        phrases = cast(list[str], d.pop("phrases", UNSET))

        gpc_release = d.pop("gpc_release", UNSET)

        quote = cls(
            quote=quote,
            endpoint=endpoint,
            price=price,
            rails=rails,
            resolved=resolved,
            product=product,
            likely=likely,
            brand=brand,
            items=items,
            codes=codes,
            unresolved=unresolved,
            phrases=phrases,
            gpc_release=gpc_release,
        )

        quote.additional_properties = d
        return quote

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
