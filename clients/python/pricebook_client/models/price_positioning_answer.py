from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.positioning_subject import PositioningSubject, check_positioning_subject

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.resolved_category import ResolvedCategory
    from ..models.tier_share import TierShare
    from ..models.unit_price_position import UnitPricePosition
    from ..models.withheld_note import WithheldNote


T = TypeVar("T", bound="PricePositioningAnswer")


@_attrs_define
class PricePositioningAnswer:
    """Answer of price-positioning. Products are listings of condition new with a price of the last 90 days."""

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
    subject: PositioningSubject
    """ What is compared with its category. """
    products: int
    """ Products of the subject. """
    category_products: int
    """ Products that it is compared with, its own among them. """
    category_avg_price: float
    """ Mean price of these. """
    category_median_price: float
    """ Median price of these. """
    avg_price: float | None
    """ Mean price of the subject; null below 3 products, like the four after it and tier. """
    median_price: float | None
    """ Median price of the subject. """
    price_index: float | None
    """ Mean price over that of the category: above 1 is dearer. It compares assortments, packs and all;
    matched_index compares prices. Null also where the subject is all there is, like the two after it. """
    median_index: float | None
    """ Median price over that of the category. """
    category_percentile: float | None
    """ Share of the category's prices below the subject's median, those equal to it by half, in percent. """
    tier: None | str
    """ Tier of the subject's median; null also where the category has no tiers. """
    tier_mix: list[TierShare] | None
    """ Subject and category over the tiers of price-bands; null where that has none. """
    matched_index: float | None
    """ How the retailer prices what others sell too: geometric mean of its lowest price over theirs, by barcode.
    Null below 10 pairs and without a retailer. """
    matched_pairs: int | None
    """ Products that it rests on; null without a retailer. """
    matched_ci95: list[float] | None
    """ Its 95 % interval, low and high; null where it is. """
    unit_prices: list[UnitPricePosition]
    """ Prices per unit, for units that 3 products of the subject have: those of most products first. """
    notes: list[WithheldNote]
    """ Why figures are null; empty where none is. """
    meta: AnswerMeta
    """ The `meta` block. """
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

        subject: str = self.subject

        products = self.products

        category_products = self.category_products

        category_avg_price = self.category_avg_price

        category_median_price = self.category_median_price

        avg_price: float | None
        avg_price = self.avg_price

        median_price: float | None
        median_price = self.median_price

        price_index: float | None
        price_index = self.price_index

        median_index: float | None
        median_index = self.median_index

        category_percentile: float | None
        category_percentile = self.category_percentile

        tier: None | str
        tier = self.tier

        tier_mix: list[dict[str, Any]] | None
        if isinstance(self.tier_mix, list):
            tier_mix = []
            for tier_mix_type_0_item_data in self.tier_mix:
                tier_mix_type_0_item = tier_mix_type_0_item_data.to_dict()
                tier_mix.append(tier_mix_type_0_item)

        else:
            tier_mix = self.tier_mix

        matched_index: float | None
        matched_index = self.matched_index

        matched_pairs: int | None
        matched_pairs = self.matched_pairs

        matched_ci95: list[float] | None
        if isinstance(self.matched_ci95, list):
            matched_ci95 = self.matched_ci95

        else:
            matched_ci95 = self.matched_ci95

        unit_prices = []
        for unit_prices_item_data in self.unit_prices:
            unit_prices_item = unit_prices_item_data.to_dict()
            unit_prices.append(unit_prices_item)

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
                "brand": brand,
                "resolved": resolved,
                "subject": subject,
                "products": products,
                "category_products": category_products,
                "category_avg_price": category_avg_price,
                "category_median_price": category_median_price,
                "avg_price": avg_price,
                "median_price": median_price,
                "price_index": price_index,
                "median_index": median_index,
                "category_percentile": category_percentile,
                "tier": tier,
                "tier_mix": tier_mix,
                "matched_index": matched_index,
                "matched_pairs": matched_pairs,
                "matched_ci95": matched_ci95,
                "unit_prices": unit_prices,
                "notes": notes,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415
        from ..models.tier_share import TierShare  # noqa: PLC0415
        from ..models.unit_price_position import UnitPricePosition  # noqa: PLC0415
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

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        subject = check_positioning_subject(d.pop("subject"))

        products = d.pop("products")

        category_products = d.pop("category_products")

        category_avg_price = d.pop("category_avg_price")

        category_median_price = d.pop("category_median_price")

        def _parse_avg_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_price = _parse_avg_price(d.pop("avg_price"))

        def _parse_median_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        median_price = _parse_median_price(d.pop("median_price"))

        def _parse_price_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        price_index = _parse_price_index(d.pop("price_index"))

        def _parse_median_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        median_index = _parse_median_index(d.pop("median_index"))

        def _parse_category_percentile(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        category_percentile = _parse_category_percentile(d.pop("category_percentile"))

        def _parse_tier(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        tier = _parse_tier(d.pop("tier"))

        def _parse_tier_mix(data: object) -> list[TierShare] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tier_mix_type_0 = []
                _tier_mix_type_0 = data
                for tier_mix_type_0_item_data in _tier_mix_type_0:
                    tier_mix_type_0_item = TierShare.from_dict(
                        tier_mix_type_0_item_data
                    )

                    tier_mix_type_0.append(tier_mix_type_0_item)

                return tier_mix_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TierShare] | None, data)

        tier_mix = _parse_tier_mix(d.pop("tier_mix"))

        def _parse_matched_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        matched_index = _parse_matched_index(d.pop("matched_index"))

        def _parse_matched_pairs(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        matched_pairs = _parse_matched_pairs(d.pop("matched_pairs"))

        def _parse_matched_ci95(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                matched_ci95_type_0 = cast(list[float], data)

                return matched_ci95_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        matched_ci95 = _parse_matched_ci95(d.pop("matched_ci95"))

        unit_prices = []
        _unit_prices = d.pop("unit_prices")
        for unit_prices_item_data in _unit_prices:
            unit_prices_item = UnitPricePosition.from_dict(unit_prices_item_data)

            unit_prices.append(unit_prices_item)

        notes = []
        _notes = d.pop("notes")
        for notes_item_data in _notes:
            notes_item = WithheldNote.from_dict(notes_item_data)

            notes.append(notes_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_positioning_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            brand=brand,
            resolved=resolved,
            subject=subject,
            products=products,
            category_products=category_products,
            category_avg_price=category_avg_price,
            category_median_price=category_median_price,
            avg_price=avg_price,
            median_price=median_price,
            price_index=price_index,
            median_index=median_index,
            category_percentile=category_percentile,
            tier=tier,
            tier_mix=tier_mix,
            matched_index=matched_index,
            matched_pairs=matched_pairs,
            matched_ci95=matched_ci95,
            unit_prices=unit_prices,
            notes=notes,
            meta=meta,
        )

        price_positioning_answer.additional_properties = d
        return price_positioning_answer

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
