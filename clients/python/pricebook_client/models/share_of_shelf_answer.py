from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.brand_share import BrandShare
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="ShareOfShelfAnswer")


@_attrs_define
class ShareOfShelfAnswer:
    """Answer of share-of-shelf."""

    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of the country. """
    retailer: None | str
    """ Retailer that was asked for; null for all. """
    total_products: int
    """ Priced listings with a brand: the sum of the brands' product counts. """
    brands: list[BrandShare]
    """ Every brand, the largest first, then by label. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        category = self.category

        department: None | str
        department = self.department

        country: str = self.country

        currency = self.currency

        retailer: None | str
        retailer = self.retailer

        total_products = self.total_products

        brands = []
        for brands_item_data in self.brands:
            brands_item = brands_item_data.to_dict()
            brands.append(brands_item)

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "category": category,
                "department": department,
                "country": country,
                "currency": currency,
                "retailer": retailer,
                "total_products": total_products,
                "brands": brands,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.brand_share import BrandShare  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        total_products = d.pop("total_products")

        brands = []
        _brands = d.pop("brands")
        for brands_item_data in _brands:
            brands_item = BrandShare.from_dict(brands_item_data)

            brands.append(brands_item)

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        share_of_shelf_answer = cls(
            category=category,
            department=department,
            country=country,
            currency=currency,
            retailer=retailer,
            total_products=total_products,
            brands=brands,
            resolved=resolved,
            meta=meta,
        )

        share_of_shelf_answer.additional_properties = d
        return share_of_shelf_answer

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
