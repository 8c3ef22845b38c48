from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.brand_share import BrandShare
    from ..models.child_category import ChildCategory
    from ..models.condition_counts import ConditionCounts
    from ..models.freshness_summary import FreshnessSummary
    from ..models.price_block import PriceBlock
    from ..models.promo_summary import PromoSummary
    from ..models.resolved_category import ResolvedCategory
    from ..models.retailer_share import RetailerShare
    from ..models.stock_summary import StockSummary
    from ..models.withheld_note import WithheldNote


T = TypeVar("T", bound="CategorySummaryAnswer")


@_attrs_define
class CategorySummaryAnswer:
    """Answer of category-summary. Products are listings with a price of the last 90 days."""

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
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    window: AnswerWindow
    """ The `window` block. """
    products: int
    """ Number of products. """
    entities: int
    """ Number of different products across retailers: listings that share a barcode are one. """
    cross_retailer_entities: int
    """ Of these, those that two retailers or more have. """
    conditions: ConditionCounts
    """ Products by condition. """
    retailer_count: int
    """ Number of retailers. """
    retailers: list[RetailerShare]
    """ The ten retailers with most products, then by key. """
    brand_count: int
    """ Number of brands. """
    branded_products: int
    """ Products with a brand. """
    brands: list[BrandShare]
    """ The ten brands with most products, then by label. """
    children: list[ChildCategory]
    """ The categories one level below that hold products, at most 20: those with most first, then by slug. Empty
    for a category without any and for a classification code. """
    price: None | PriceBlock
    """ Current prices of products of condition new; null where there are fewer than 3. """
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
    promo: PromoSummary
    """ Promotions, by the latest observation of each product. """
    availability: StockSummary
    """ Stock, by the latest observation of each product. """
    freshness: FreshnessSummary
    """ How old the latest observations are, in days before the last one of the catalog. """
    notes: list[WithheldNote]
    """ Why figures are null; empty where none is. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.price_block import PriceBlock  # noqa: PLC0415

        country: str = self.country

        currency = self.currency

        category = self.category

        department: None | str
        department = self.department

        retailer: None | str
        retailer = self.retailer

        resolved = self.resolved.to_dict()

        window = self.window.to_dict()

        products = self.products

        entities = self.entities

        cross_retailer_entities = self.cross_retailer_entities

        conditions = self.conditions.to_dict()

        retailer_count = self.retailer_count

        retailers = []
        for retailers_item_data in self.retailers:
            retailers_item = retailers_item_data.to_dict()
            retailers.append(retailers_item)

        brand_count = self.brand_count

        branded_products = self.branded_products

        brands = []
        for brands_item_data in self.brands:
            brands_item = brands_item_data.to_dict()
            brands.append(brands_item)

        children = []
        for children_item_data in self.children:
            children_item = children_item_data.to_dict()
            children.append(children_item)

        price: dict[str, Any] | None
        if isinstance(self.price, PriceBlock):
            price = self.price.to_dict()
        else:
            price = self.price

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

        promo = self.promo.to_dict()

        availability = self.availability.to_dict()

        freshness = self.freshness.to_dict()

        notes = []
        for notes_item_data in self.notes:
            notes_item = notes_item_data.to_dict()
            notes.append(notes_item)

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
                "resolved": resolved,
                "window": window,
                "products": products,
                "entities": entities,
                "cross_retailer_entities": cross_retailer_entities,
                "conditions": conditions,
                "retailer_count": retailer_count,
                "retailers": retailers,
                "brand_count": brand_count,
                "branded_products": branded_products,
                "brands": brands,
                "children": children,
                "price": price,
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
                "promo": promo,
                "availability": availability,
                "freshness": freshness,
                "notes": notes,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.brand_share import BrandShare  # noqa: PLC0415
        from ..models.child_category import ChildCategory  # noqa: PLC0415
        from ..models.condition_counts import ConditionCounts  # noqa: PLC0415
        from ..models.freshness_summary import FreshnessSummary  # noqa: PLC0415
        from ..models.price_block import PriceBlock  # noqa: PLC0415
        from ..models.promo_summary import PromoSummary  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415
        from ..models.retailer_share import RetailerShare  # noqa: PLC0415
        from ..models.stock_summary import StockSummary  # noqa: PLC0415
        from ..models.withheld_note import WithheldNote  # noqa: PLC0415

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

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        window = AnswerWindow.from_dict(d.pop("window"))

        products = d.pop("products")

        entities = d.pop("entities")

        cross_retailer_entities = d.pop("cross_retailer_entities")

        conditions = ConditionCounts.from_dict(d.pop("conditions"))

        retailer_count = d.pop("retailer_count")

        retailers = []
        _retailers = d.pop("retailers")
        for retailers_item_data in _retailers:
            retailers_item = RetailerShare.from_dict(retailers_item_data)

            retailers.append(retailers_item)

        brand_count = d.pop("brand_count")

        branded_products = d.pop("branded_products")

        brands = []
        _brands = d.pop("brands")
        for brands_item_data in _brands:
            brands_item = BrandShare.from_dict(brands_item_data)

            brands.append(brands_item)

        children = []
        _children = d.pop("children")
        for children_item_data in _children:
            children_item = ChildCategory.from_dict(children_item_data)

            children.append(children_item)

        def _parse_price(data: object) -> None | PriceBlock:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                price_type_0 = PriceBlock.from_dict(data)

                return price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PriceBlock, data)

        price = _parse_price(d.pop("price"))

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

        promo = PromoSummary.from_dict(d.pop("promo"))

        availability = StockSummary.from_dict(d.pop("availability"))

        freshness = FreshnessSummary.from_dict(d.pop("freshness"))

        notes = []
        _notes = d.pop("notes")
        for notes_item_data in _notes:
            notes_item = WithheldNote.from_dict(notes_item_data)

            notes.append(notes_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        category_summary_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            resolved=resolved,
            window=window,
            products=products,
            entities=entities,
            cross_retailer_entities=cross_retailer_entities,
            conditions=conditions,
            retailer_count=retailer_count,
            retailers=retailers,
            brand_count=brand_count,
            branded_products=branded_products,
            brands=brands,
            children=children,
            price=price,
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
            promo=promo,
            availability=availability,
            freshness=freshness,
            notes=notes,
            meta=meta,
        )

        category_summary_answer.additional_properties = d
        return category_summary_answer

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
