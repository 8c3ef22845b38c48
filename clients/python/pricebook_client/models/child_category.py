from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ChildCategory")


@_attrs_define
class ChildCategory:
    """A category below."""

    slug: str
    """ Slug path to ask for it with. """
    category_path: str
    """ Display path (A > B > C). """
    product_count: int
    """ Its products. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        category_path = self.category_path

        product_count = self.product_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "category_path": category_path,
                "product_count": product_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        slug = d.pop("slug")

        category_path = d.pop("category_path")

        product_count = d.pop("product_count")

        child_category = cls(
            slug=slug,
            category_path=category_path,
            product_count=product_count,
        )

        child_category.additional_properties = d
        return child_category

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
