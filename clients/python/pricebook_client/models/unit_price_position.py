from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.unit_price_basis import UnitPriceBasis, check_unit_price_basis

T = TypeVar("T", bound="UnitPricePosition")


@_attrs_define
class UnitPricePosition:
    """Prices per unit."""

    per: UnitPriceBasis
    """ What a unit price is the price of. """
    products: int
    """ Products of the subject that have one. """
    median: float
    """ Median of these, in currency. """
    category_products: int
    """ Products of the category that have one. """
    category_median: float
    """ Median of those. """
    index: float
    """ The one over the other: above 1 is dearer. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        per: str = self.per

        products = self.products

        median = self.median

        category_products = self.category_products

        category_median = self.category_median

        index = self.index

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "per": per,
                "products": products,
                "median": median,
                "category_products": category_products,
                "category_median": category_median,
                "index": index,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        per = check_unit_price_basis(d.pop("per"))

        products = d.pop("products")

        median = d.pop("median")

        category_products = d.pop("category_products")

        category_median = d.pop("category_median")

        index = d.pop("index")

        unit_price_position = cls(
            per=per,
            products=products,
            median=median,
            category_products=category_products,
            category_median=category_median,
            index=index,
        )

        unit_price_position.additional_properties = d
        return unit_price_position

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
