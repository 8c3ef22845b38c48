from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="BrandInCategory")


@_attrs_define
class BrandInCategory:
    """A brand in a category."""

    slug: str
    """ Slug path to ask for it with. """
    category_path: str
    """ Display path (A > B > C). """
    products: int
    """ Number of its products. """
    entities: int
    """ Different products across retailers among them. """
    share_pct: float
    """ Their share of the products there that have a brand, in percent. """
    avg_price: float
    """ Mean of their prices. """
    median_price: float
    """ Median of their prices. """
    min_price: float
    """ Lowest of their prices. """
    max_price: float
    """ Highest of their prices. """
    lfl_change_pct: float | None
    """ Change of the products priced in both periods in percent; null where fewer than 10 match. """
    lfl_matched: int
    """ Products priced in both periods. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        category_path = self.category_path

        products = self.products

        entities = self.entities

        share_pct = self.share_pct

        avg_price = self.avg_price

        median_price = self.median_price

        min_price = self.min_price

        max_price = self.max_price

        lfl_change_pct: float | None
        lfl_change_pct = self.lfl_change_pct

        lfl_matched = self.lfl_matched

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "category_path": category_path,
                "products": products,
                "entities": entities,
                "share_pct": share_pct,
                "avg_price": avg_price,
                "median_price": median_price,
                "min_price": min_price,
                "max_price": max_price,
                "lfl_change_pct": lfl_change_pct,
                "lfl_matched": lfl_matched,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        slug = d.pop("slug")

        category_path = d.pop("category_path")

        products = d.pop("products")

        entities = d.pop("entities")

        share_pct = d.pop("share_pct")

        avg_price = d.pop("avg_price")

        median_price = d.pop("median_price")

        min_price = d.pop("min_price")

        max_price = d.pop("max_price")

        def _parse_lfl_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_change_pct = _parse_lfl_change_pct(d.pop("lfl_change_pct"))

        lfl_matched = d.pop("lfl_matched")

        brand_in_category = cls(
            slug=slug,
            category_path=category_path,
            products=products,
            entities=entities,
            share_pct=share_pct,
            avg_price=avg_price,
            median_price=median_price,
            min_price=min_price,
            max_price=max_price,
            lfl_change_pct=lfl_change_pct,
            lfl_matched=lfl_matched,
        )

        brand_in_category.additional_properties = d
        return brand_in_category

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
