from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.aggregate_by import AggregateBy, check_aggregate_by
from ..models.country import Country, check_country
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.promo_row import PromoRow
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="PromoIntelligenceAnswer")


@_attrs_define
class PromoIntelligenceAnswer:
    """Answer of promo-intelligence."""

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
    brand: None | str
    """ Display label of the brand that was asked for; null for all. """
    aggregate_by: AggregateBy
    """ What a row stands for. """
    window: AnswerWindow
    """ The `window` block. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    brands: list[PromoRow] | None | Unset = UNSET
    """ One row per brand with an observation in the window, the most observations first, then by label; at most
    200. Absent when aggregating by retailer. """
    retailers: list[PromoRow] | None | Unset = UNSET
    """ One row per retailer in the same order. Absent when aggregating by brand. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        category = self.category

        department: None | str
        department = self.department

        country: str = self.country

        currency = self.currency

        retailer: None | str
        retailer = self.retailer

        brand: None | str
        brand = self.brand

        aggregate_by: str = self.aggregate_by

        window = self.window.to_dict()

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        brands: list[dict[str, Any]] | None | Unset
        if isinstance(self.brands, Unset):
            brands = UNSET
        elif isinstance(self.brands, list):
            brands = []
            for brands_type_0_item_data in self.brands:
                brands_type_0_item = brands_type_0_item_data.to_dict()
                brands.append(brands_type_0_item)

        else:
            brands = self.brands

        retailers: list[dict[str, Any]] | None | Unset
        if isinstance(self.retailers, Unset):
            retailers = UNSET
        elif isinstance(self.retailers, list):
            retailers = []
            for retailers_type_0_item_data in self.retailers:
                retailers_type_0_item = retailers_type_0_item_data.to_dict()
                retailers.append(retailers_type_0_item)

        else:
            retailers = self.retailers

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "category": category,
                "department": department,
                "country": country,
                "currency": currency,
                "retailer": retailer,
                "brand": brand,
                "aggregate_by": aggregate_by,
                "window": window,
                "resolved": resolved,
                "meta": meta,
            }
        )
        if brands is not UNSET:
            field_dict["brands"] = brands
        if retailers is not UNSET:
            field_dict["retailers"] = retailers

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.promo_row import PromoRow  # noqa: PLC0415
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

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        aggregate_by = check_aggregate_by(d.pop("aggregate_by"))

        window = AnswerWindow.from_dict(d.pop("window"))

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        def _parse_brands(data: object) -> list[PromoRow] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                brands_type_0 = []
                _brands_type_0 = data
                for brands_type_0_item_data in _brands_type_0:
                    brands_type_0_item = PromoRow.from_dict(brands_type_0_item_data)

                    brands_type_0.append(brands_type_0_item)

                return brands_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[PromoRow] | None | Unset, data)

        brands = _parse_brands(d.pop("brands", UNSET))

        def _parse_retailers(data: object) -> list[PromoRow] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                retailers_type_0 = []
                _retailers_type_0 = data
                for retailers_type_0_item_data in _retailers_type_0:
                    retailers_type_0_item = PromoRow.from_dict(
                        retailers_type_0_item_data
                    )

                    retailers_type_0.append(retailers_type_0_item)

                return retailers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[PromoRow] | None | Unset, data)

        retailers = _parse_retailers(d.pop("retailers", UNSET))

        promo_intelligence_answer = cls(
            category=category,
            department=department,
            country=country,
            currency=currency,
            retailer=retailer,
            brand=brand,
            aggregate_by=aggregate_by,
            window=window,
            resolved=resolved,
            meta=meta,
            brands=brands,
            retailers=retailers,
        )

        promo_intelligence_answer.additional_properties = d
        return promo_intelligence_answer

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
