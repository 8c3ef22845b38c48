from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.match_source import MatchSource, check_match_source

T = TypeVar("T", bound="AlternateCategory")


@_attrs_define
class AlternateCategory:
    """Another category that an input fits."""

    category_path: str
    """ Display path of the category, or ancestry of the classification code. """
    slug: str
    """ Slug path to ask for it with, or the classification code. """
    department: None | str
    """ Root segment of the path; null for a classification code. """
    match_source: MatchSource
    """ How a category text was understood. """
    match_confidence: float
    """ Confidence of the match, 0 to 1. """
    products: int
    """ Number of its listings in the country with a price of the last 90 days. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        category_path = self.category_path

        slug = self.slug

        department: None | str
        department = self.department

        match_source: str = self.match_source

        match_confidence = self.match_confidence

        products = self.products

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "category_path": category_path,
                "slug": slug,
                "department": department,
                "match_source": match_source,
                "match_confidence": match_confidence,
                "products": products,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        category_path = d.pop("category_path")

        slug = d.pop("slug")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        match_source = check_match_source(d.pop("match_source"))

        match_confidence = d.pop("match_confidence")

        products = d.pop("products")

        alternate_category = cls(
            category_path=category_path,
            slug=slug,
            department=department,
            match_source=match_source,
            match_confidence=match_confidence,
            products=products,
        )

        alternate_category.additional_properties = d
        return alternate_category

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
