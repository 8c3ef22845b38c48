from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.assortment_change import AssortmentChange
    from ..models.assortment_churn import AssortmentChurn
    from ..models.assortment_gap import AssortmentGap
    from ..models.assortment_peer import AssortmentPeer
    from ..models.brand_share import BrandShare
    from ..models.resolved_category import ResolvedCategory
    from ..models.withheld_note import WithheldNote


T = TypeVar("T", bound="RetailerAssortmentAnswer")


@_attrs_define
class RetailerAssortmentAnswer:
    """Answer of retailer-assortment. Products are listings with a price of the last 90 days."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    retailer: str
    """ Key of the retailer. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    window: AnswerWindow
    """ The `window` block. """
    products: int
    """ Products of the retailer. """
    entities: int
    """ Different products across retailers among them. """
    category_products: int
    """ Products of all retailers in the category. """
    share_pct: float
    """ The retailer's share of these in percent. """
    brand_count: int
    """ Brands of the retailer. """
    brands: list[BrandShare]
    """ Its ten brands with most products, then by label. """
    barcoded_entities: int
    """ Different products of the retailer with a usable barcode: those that can be compared. """
    barcode_coverage: float
    """ Share of its products with a usable barcode, 0 to 1. """
    exclusive_entities: int | None
    """ Barcoded products that no other retailer sells; null below 5 barcoded ones, or without another retailer to
    compare with. """
    exclusive_pct: float | None
    """ The same in percent of the barcoded products; null where that is. """
    overlap_retailers: int
    """ Other retailers with barcoded products of the category, or of this retailer. """
    overlap: list[AssortmentPeer]
    """ The 20 that share most, then those with most products, then by key. """
    min_retailers: int
    """ Fewest retailers that sell a product which counts as a gap. """
    gap_entities: int
    """ Barcoded products of the category that so many sell and this retailer does not. """
    gaps: list[AssortmentGap]
    """ The first of them: what most retailers sell, then by product_uid of the best offer. """
    churn: AssortmentChurn
    """ What came and went between the window before and the window. """
    new_items: list[AssortmentChange]
    """ Listings that are new in the window, the latest first; empty where churn is not known. """
    delisted_items: list[AssortmentChange]
    """ Listings that went, the last to go first; empty where churn is not known. """
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

        retailer = self.retailer

        resolved = self.resolved.to_dict()

        window = self.window.to_dict()

        products = self.products

        entities = self.entities

        category_products = self.category_products

        share_pct = self.share_pct

        brand_count = self.brand_count

        brands = []
        for brands_item_data in self.brands:
            brands_item = brands_item_data.to_dict()
            brands.append(brands_item)

        barcoded_entities = self.barcoded_entities

        barcode_coverage = self.barcode_coverage

        exclusive_entities: int | None
        exclusive_entities = self.exclusive_entities

        exclusive_pct: float | None
        exclusive_pct = self.exclusive_pct

        overlap_retailers = self.overlap_retailers

        overlap = []
        for overlap_item_data in self.overlap:
            overlap_item = overlap_item_data.to_dict()
            overlap.append(overlap_item)

        min_retailers = self.min_retailers

        gap_entities = self.gap_entities

        gaps = []
        for gaps_item_data in self.gaps:
            gaps_item = gaps_item_data.to_dict()
            gaps.append(gaps_item)

        churn = self.churn.to_dict()

        new_items = []
        for new_items_item_data in self.new_items:
            new_items_item = new_items_item_data.to_dict()
            new_items.append(new_items_item)

        delisted_items = []
        for delisted_items_item_data in self.delisted_items:
            delisted_items_item = delisted_items_item_data.to_dict()
            delisted_items.append(delisted_items_item)

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
                "category_products": category_products,
                "share_pct": share_pct,
                "brand_count": brand_count,
                "brands": brands,
                "barcoded_entities": barcoded_entities,
                "barcode_coverage": barcode_coverage,
                "exclusive_entities": exclusive_entities,
                "exclusive_pct": exclusive_pct,
                "overlap_retailers": overlap_retailers,
                "overlap": overlap,
                "min_retailers": min_retailers,
                "gap_entities": gap_entities,
                "gaps": gaps,
                "churn": churn,
                "new_items": new_items,
                "delisted_items": delisted_items,
                "notes": notes,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.assortment_change import AssortmentChange  # noqa: PLC0415
        from ..models.assortment_churn import AssortmentChurn  # noqa: PLC0415
        from ..models.assortment_gap import AssortmentGap  # noqa: PLC0415
        from ..models.assortment_peer import AssortmentPeer  # noqa: PLC0415
        from ..models.brand_share import BrandShare  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415
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

        retailer = d.pop("retailer")

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        window = AnswerWindow.from_dict(d.pop("window"))

        products = d.pop("products")

        entities = d.pop("entities")

        category_products = d.pop("category_products")

        share_pct = d.pop("share_pct")

        brand_count = d.pop("brand_count")

        brands = []
        _brands = d.pop("brands")
        for brands_item_data in _brands:
            brands_item = BrandShare.from_dict(brands_item_data)

            brands.append(brands_item)

        barcoded_entities = d.pop("barcoded_entities")

        barcode_coverage = d.pop("barcode_coverage")

        def _parse_exclusive_entities(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        exclusive_entities = _parse_exclusive_entities(d.pop("exclusive_entities"))

        def _parse_exclusive_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        exclusive_pct = _parse_exclusive_pct(d.pop("exclusive_pct"))

        overlap_retailers = d.pop("overlap_retailers")

        overlap = []
        _overlap = d.pop("overlap")
        for overlap_item_data in _overlap:
            overlap_item = AssortmentPeer.from_dict(overlap_item_data)

            overlap.append(overlap_item)

        min_retailers = d.pop("min_retailers")

        gap_entities = d.pop("gap_entities")

        gaps = []
        _gaps = d.pop("gaps")
        for gaps_item_data in _gaps:
            gaps_item = AssortmentGap.from_dict(gaps_item_data)

            gaps.append(gaps_item)

        churn = AssortmentChurn.from_dict(d.pop("churn"))

        new_items = []
        _new_items = d.pop("new_items")
        for new_items_item_data in _new_items:
            new_items_item = AssortmentChange.from_dict(new_items_item_data)

            new_items.append(new_items_item)

        delisted_items = []
        _delisted_items = d.pop("delisted_items")
        for delisted_items_item_data in _delisted_items:
            delisted_items_item = AssortmentChange.from_dict(delisted_items_item_data)

            delisted_items.append(delisted_items_item)

        notes = []
        _notes = d.pop("notes")
        for notes_item_data in _notes:
            notes_item = WithheldNote.from_dict(notes_item_data)

            notes.append(notes_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        retailer_assortment_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            resolved=resolved,
            window=window,
            products=products,
            entities=entities,
            category_products=category_products,
            share_pct=share_pct,
            brand_count=brand_count,
            brands=brands,
            barcoded_entities=barcoded_entities,
            barcode_coverage=barcode_coverage,
            exclusive_entities=exclusive_entities,
            exclusive_pct=exclusive_pct,
            overlap_retailers=overlap_retailers,
            overlap=overlap,
            min_retailers=min_retailers,
            gap_entities=gap_entities,
            gaps=gaps,
            churn=churn,
            new_items=new_items,
            delisted_items=delisted_items,
            notes=notes,
            meta=meta,
        )

        retailer_assortment_answer.additional_properties = d
        return retailer_assortment_answer

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
