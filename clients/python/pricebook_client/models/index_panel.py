from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="IndexPanel")


@_attrs_define
class IndexPanel:
    """What an index rests on: the panel of products and periods."""

    products: int
    """ Products with a price in one of its periods. """
    matched_products: int
    """ Products with a price in two of its periods at least: what an index can be made of. """
    complete_products: int
    """ Products with a price in all of them. """
    outliers: int
    """ PricePanel of a product in a period that are left out as errors: farther than a factor of 3 from its median.
    """
    periods: int
    """ Periods of ten products or more, from the base on. """
    pairs: int
    """ Pairs of them. """
    usable_pairs: int
    """ Pairs with ten products or more in both. """
    median_matched: float
    """ Median over the pairs of the number of products in both. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        products = self.products

        matched_products = self.matched_products

        complete_products = self.complete_products

        outliers = self.outliers

        periods = self.periods

        pairs = self.pairs

        usable_pairs = self.usable_pairs

        median_matched = self.median_matched

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "products": products,
                "matched_products": matched_products,
                "complete_products": complete_products,
                "outliers": outliers,
                "periods": periods,
                "pairs": pairs,
                "usable_pairs": usable_pairs,
                "median_matched": median_matched,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        products = d.pop("products")

        matched_products = d.pop("matched_products")

        complete_products = d.pop("complete_products")

        outliers = d.pop("outliers")

        periods = d.pop("periods")

        pairs = d.pop("pairs")

        usable_pairs = d.pop("usable_pairs")

        median_matched = d.pop("median_matched")

        index_panel = cls(
            products=products,
            matched_products=matched_products,
            complete_products=complete_products,
            outliers=outliers,
            periods=periods,
            pairs=pairs,
            usable_pairs=usable_pairs,
            median_matched=median_matched,
        )

        index_panel.additional_properties = d
        return index_panel

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
