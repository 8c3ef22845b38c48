from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="PriceTier")


@_attrs_define
class PriceTier:
    """A price tier."""

    name: str
    """ entry, value, mid, premium, luxury; fewer than five are named from the top, a single one is mid. """
    upper_bound: float | None
    """ Highest price that belongs to it; null for the last tier. """
    from_: float
    """ Edge below it, a price above which belongs to it; 0 for the first tier. """
    to: float | None
    """ Upper edge: the same as `upper_bound`, null for the last tier. """
    products: int
    """ Number of products in it. """
    brand_products: int | Unset = UNSET
    """ Number of the brand's products in it; absent when no brand was asked for. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        upper_bound: float | None
        upper_bound = self.upper_bound

        from_ = self.from_

        to: float | None
        to = self.to

        products = self.products

        brand_products = self.brand_products

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "upper_bound": upper_bound,
                "from": from_,
                "to": to,
                "products": products,
            }
        )
        if brand_products is not UNSET:
            field_dict["brand_products"] = brand_products

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_upper_bound(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        upper_bound = _parse_upper_bound(d.pop("upper_bound"))

        from_ = d.pop("from")

        def _parse_to(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        to = _parse_to(d.pop("to"))

        products = d.pop("products")

        brand_products = d.pop("brand_products", UNSET)

        price_tier = cls(
            name=name,
            upper_bound=upper_bound,
            from_=from_,
            to=to,
            products=products,
            brand_products=brand_products,
        )

        price_tier.additional_properties = d
        return price_tier

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
