from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.availability_by import AvailabilityBy, check_availability_by
from ..models.country import Country, check_country
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.availability import Availability
    from ..models.availability_row import AvailabilityRow
    from ..models.out_of_stock_item import OutOfStockItem
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="AvailabilityIndexAnswer")


@_attrs_define
class AvailabilityIndexAnswer:
    """Answer of availability-index. Products are listings with a price of the last 90 days."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    brand: None | str
    """ Display label of the brand that was asked for; null for all. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    window: AnswerWindow
    """ The `window` block. """
    aggregate_by: AvailabilityBy
    """ What a row stands for. """
    total: Availability
    """ How available something is. """
    out_of_stock_now: list[OutOfStockItem]
    """ Products out of stock until now, the longest first, then by product_uid; at most 20. """
    meta: AnswerMeta
    """ The `meta` block. """
    retailers: list[AvailabilityRow] | None | Unset = UNSET
    """ A row for each retailer, the one with most products first, then by key; at most 200. Absent when aggregating
    by brand. """
    brands: list[AvailabilityRow] | None | Unset = UNSET
    """ A row for each brand in the same order. Absent when aggregating by retailer. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        country: str = self.country

        currency = self.currency

        category = self.category

        department: None | str
        department = self.department

        retailer: None | str
        retailer = self.retailer

        brand: None | str
        brand = self.brand

        resolved = self.resolved.to_dict()

        window = self.window.to_dict()

        aggregate_by: str = self.aggregate_by

        total = self.total.to_dict()

        out_of_stock_now = []
        for out_of_stock_now_item_data in self.out_of_stock_now:
            out_of_stock_now_item = out_of_stock_now_item_data.to_dict()
            out_of_stock_now.append(out_of_stock_now_item)

        meta = self.meta.to_dict()

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

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "country": country,
                "currency": currency,
                "category": category,
                "department": department,
                "retailer": retailer,
                "brand": brand,
                "resolved": resolved,
                "window": window,
                "aggregate_by": aggregate_by,
                "total": total,
                "out_of_stock_now": out_of_stock_now,
                "meta": meta,
            }
        )
        if retailers is not UNSET:
            field_dict["retailers"] = retailers
        if brands is not UNSET:
            field_dict["brands"] = brands

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.availability import Availability  # noqa: PLC0415
        from ..models.availability_row import AvailabilityRow  # noqa: PLC0415
        from ..models.out_of_stock_item import OutOfStockItem  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

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

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        window = AnswerWindow.from_dict(d.pop("window"))

        aggregate_by = check_availability_by(d.pop("aggregate_by"))

        total = Availability.from_dict(d.pop("total"))

        out_of_stock_now = []
        _out_of_stock_now = d.pop("out_of_stock_now")
        for out_of_stock_now_item_data in _out_of_stock_now:
            out_of_stock_now_item = OutOfStockItem.from_dict(out_of_stock_now_item_data)

            out_of_stock_now.append(out_of_stock_now_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        def _parse_retailers(data: object) -> list[AvailabilityRow] | None | Unset:
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
                    retailers_type_0_item = AvailabilityRow.from_dict(
                        retailers_type_0_item_data
                    )

                    retailers_type_0.append(retailers_type_0_item)

                return retailers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[AvailabilityRow] | None | Unset, data)

        retailers = _parse_retailers(d.pop("retailers", UNSET))

        def _parse_brands(data: object) -> list[AvailabilityRow] | None | Unset:
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
                    brands_type_0_item = AvailabilityRow.from_dict(
                        brands_type_0_item_data
                    )

                    brands_type_0.append(brands_type_0_item)

                return brands_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[AvailabilityRow] | None | Unset, data)

        brands = _parse_brands(d.pop("brands", UNSET))

        availability_index_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            brand=brand,
            resolved=resolved,
            window=window,
            aggregate_by=aggregate_by,
            total=total,
            out_of_stock_now=out_of_stock_now,
            meta=meta,
            retailers=retailers,
            brands=brands,
        )

        availability_index_answer.additional_properties = d
        return availability_index_answer

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
