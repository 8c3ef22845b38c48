from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.category_level import CategoryLevel, check_category_level

T = TypeVar("T", bound="ListedCategory")


@_attrs_define
class ListedCategory:
    """A category."""

    slug: str
    """ Slug path (a/b/c); the category parameter of other routes takes it. """
    category_path: str
    """ Display path (A > B > C). """
    level: CategoryLevel
    """ Place of a node in the category ladder. """
    products: int
    """ Listings in it, and in what lies below, with a price of the last 90 days. """
    children: int
    """ Number of categories of the country directly below it. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        category_path = self.category_path

        level: str = self.level

        products = self.products

        children = self.children

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "category_path": category_path,
                "level": level,
                "products": products,
                "children": children,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        slug = d.pop("slug")

        category_path = d.pop("category_path")

        level = check_category_level(d.pop("level"))

        products = d.pop("products")

        children = d.pop("children")

        listed_category = cls(
            slug=slug,
            category_path=category_path,
            level=level,
            products=products,
            children=children,
        )

        listed_category.additional_properties = d
        return listed_category

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
