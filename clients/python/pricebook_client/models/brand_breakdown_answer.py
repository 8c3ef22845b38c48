from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.brand_at_retailer import BrandAtRetailer
    from ..models.brand_in_category import BrandInCategory
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="BrandBreakdownAnswer")


@_attrs_define
class BrandBreakdownAnswer:
    """Answer of brand-breakdown. Products are listings with a price of the last 90 days."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    category: None | str
    """ Display path of the category; null where none was asked for. """
    department: None | str
    """ Root of the category; null where none was asked for, and for a classification code. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    brand: str
    """ Display label of the brand. """
    resolved: None | ResolvedCategory
    """ How the category was understood; null where none was asked for. """
    window: AnswerWindow
    """ The `window` block. """
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
    """ Change of the products priced in both periods, in percent: the mean of their log relatives, those outside
    half to double left out as errors. Null with lfl_note when fewer than 10 products match. """
    lfl_ci95_pct: list[float] | None
    """ 95 % confidence interval of lfl_change_pct in percent, low and high; null where that is null. """
    lfl_median_pct: float | None
    """ Median change of the matched products in percent; null where lfl_change_pct is. """
    lfl_arithmetic_pct: float | None
    """ Arithmetic mean of the changes in percent, biased upwards where prices go on and off promotion; null where
    lfl_change_pct is. """
    lfl_matched: int
    """ Number of products priced in both periods. """
    lfl_rising: int
    """ Number of matched products that went up by more than 1 %. """
    lfl_stable: int
    """ Number of matched products that stayed within 1 %. """
    lfl_falling: int
    """ Number of matched products that went down by more than 1 %. """
    lfl_trimmed: int
    """ Number of matched products left out of lfl_change_pct as errors: to less than half or more than double. """
    lfl_match_rate: float | None
    """ Share of the first period's products that were matched, 0 to 1; null without two periods. """
    lfl_periods: list[str] | None
    """ Labels of the two periods that are compared; null without two. """
    lfl_note: None | str
    """ Why a figure is withheld or to be read with care; null when there is nothing to say. """
    category_count: int
    """ Categories that the brand is in. """
    categories: list[BrandInCategory]
    """ The 50 with most of its products, then by slug: one level below the category, or the roots, and lower where
    all of them lie in one. """
    retailer_count: int
    """ Retailers that sell the brand. """
    retailers: list[BrandAtRetailer]
    """ The 50 with most of its products, then by key. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        country: str = self.country

        currency = self.currency

        category: None | str
        category = self.category

        department: None | str
        department = self.department

        retailer: None | str
        retailer = self.retailer

        brand = self.brand

        resolved: dict[str, Any] | None
        if isinstance(self.resolved, ResolvedCategory):
            resolved = self.resolved.to_dict()
        else:
            resolved = self.resolved

        window = self.window.to_dict()

        products = self.products

        entities = self.entities

        share_pct = self.share_pct

        avg_price = self.avg_price

        median_price = self.median_price

        min_price = self.min_price

        max_price = self.max_price

        lfl_change_pct: float | None
        lfl_change_pct = self.lfl_change_pct

        lfl_ci95_pct: list[float] | None
        if isinstance(self.lfl_ci95_pct, list):
            lfl_ci95_pct = self.lfl_ci95_pct

        else:
            lfl_ci95_pct = self.lfl_ci95_pct

        lfl_median_pct: float | None
        lfl_median_pct = self.lfl_median_pct

        lfl_arithmetic_pct: float | None
        lfl_arithmetic_pct = self.lfl_arithmetic_pct

        lfl_matched = self.lfl_matched

        lfl_rising = self.lfl_rising

        lfl_stable = self.lfl_stable

        lfl_falling = self.lfl_falling

        lfl_trimmed = self.lfl_trimmed

        lfl_match_rate: float | None
        lfl_match_rate = self.lfl_match_rate

        lfl_periods: list[str] | None
        if isinstance(self.lfl_periods, list):
            lfl_periods = self.lfl_periods

        else:
            lfl_periods = self.lfl_periods

        lfl_note: None | str
        lfl_note = self.lfl_note

        category_count = self.category_count

        categories = []
        for categories_item_data in self.categories:
            categories_item = categories_item_data.to_dict()
            categories.append(categories_item)

        retailer_count = self.retailer_count

        retailers = []
        for retailers_item_data in self.retailers:
            retailers_item = retailers_item_data.to_dict()
            retailers.append(retailers_item)

        meta = self.meta.to_dict()

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
                "products": products,
                "entities": entities,
                "share_pct": share_pct,
                "avg_price": avg_price,
                "median_price": median_price,
                "min_price": min_price,
                "max_price": max_price,
                "lfl_change_pct": lfl_change_pct,
                "lfl_ci95_pct": lfl_ci95_pct,
                "lfl_median_pct": lfl_median_pct,
                "lfl_arithmetic_pct": lfl_arithmetic_pct,
                "lfl_matched": lfl_matched,
                "lfl_rising": lfl_rising,
                "lfl_stable": lfl_stable,
                "lfl_falling": lfl_falling,
                "lfl_trimmed": lfl_trimmed,
                "lfl_match_rate": lfl_match_rate,
                "lfl_periods": lfl_periods,
                "lfl_note": lfl_note,
                "category_count": category_count,
                "categories": categories,
                "retailer_count": retailer_count,
                "retailers": retailers,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.brand_at_retailer import BrandAtRetailer  # noqa: PLC0415
        from ..models.brand_in_category import BrandInCategory  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        def _parse_category(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        category = _parse_category(d.pop("category"))

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

        brand = d.pop("brand")

        def _parse_resolved(data: object) -> None | ResolvedCategory:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                resolved_type_0 = ResolvedCategory.from_dict(data)

                return resolved_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ResolvedCategory, data)

        resolved = _parse_resolved(d.pop("resolved"))

        window = AnswerWindow.from_dict(d.pop("window"))

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

        def _parse_lfl_ci95_pct(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                lfl_ci95_pct_type_0 = cast(list[float], data)

                return lfl_ci95_pct_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        lfl_ci95_pct = _parse_lfl_ci95_pct(d.pop("lfl_ci95_pct"))

        def _parse_lfl_median_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_median_pct = _parse_lfl_median_pct(d.pop("lfl_median_pct"))

        def _parse_lfl_arithmetic_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_arithmetic_pct = _parse_lfl_arithmetic_pct(d.pop("lfl_arithmetic_pct"))

        lfl_matched = d.pop("lfl_matched")

        lfl_rising = d.pop("lfl_rising")

        lfl_stable = d.pop("lfl_stable")

        lfl_falling = d.pop("lfl_falling")

        lfl_trimmed = d.pop("lfl_trimmed")

        def _parse_lfl_match_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        lfl_match_rate = _parse_lfl_match_rate(d.pop("lfl_match_rate"))

        def _parse_lfl_periods(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                lfl_periods_type_0 = cast(list[str], data)

                return lfl_periods_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        lfl_periods = _parse_lfl_periods(d.pop("lfl_periods"))

        def _parse_lfl_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        lfl_note = _parse_lfl_note(d.pop("lfl_note"))

        category_count = d.pop("category_count")

        categories = []
        _categories = d.pop("categories")
        for categories_item_data in _categories:
            categories_item = BrandInCategory.from_dict(categories_item_data)

            categories.append(categories_item)

        retailer_count = d.pop("retailer_count")

        retailers = []
        _retailers = d.pop("retailers")
        for retailers_item_data in _retailers:
            retailers_item = BrandAtRetailer.from_dict(retailers_item_data)

            retailers.append(retailers_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        brand_breakdown_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            brand=brand,
            resolved=resolved,
            window=window,
            products=products,
            entities=entities,
            share_pct=share_pct,
            avg_price=avg_price,
            median_price=median_price,
            min_price=min_price,
            max_price=max_price,
            lfl_change_pct=lfl_change_pct,
            lfl_ci95_pct=lfl_ci95_pct,
            lfl_median_pct=lfl_median_pct,
            lfl_arithmetic_pct=lfl_arithmetic_pct,
            lfl_matched=lfl_matched,
            lfl_rising=lfl_rising,
            lfl_stable=lfl_stable,
            lfl_falling=lfl_falling,
            lfl_trimmed=lfl_trimmed,
            lfl_match_rate=lfl_match_rate,
            lfl_periods=lfl_periods,
            lfl_note=lfl_note,
            category_count=category_count,
            categories=categories,
            retailer_count=retailer_count,
            retailers=retailers,
            meta=meta,
        )

        brand_breakdown_answer.additional_properties = d
        return brand_breakdown_answer

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
