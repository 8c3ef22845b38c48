from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.concentration_by import ConcentrationBy, check_concentration_by
from ..models.country import Country, check_country
from ..models.fragmentation import Fragmentation, check_fragmentation

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.concentration_thresholds import ConcentrationThresholds
    from ..models.label_share import LabelShare
    from ..models.resolved_category import ResolvedCategory
    from ..models.withheld_note import WithheldNote


T = TypeVar("T", bound="CategoryConcentrationAnswer")


@_attrs_define
class CategoryConcentrationAnswer:
    """Answer of category-concentration. Products are listings with a price of the last 90 days."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of the country. """
    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    aggregate_by: ConcentrationBy
    """ What products are counted by. """
    products: int
    """ Number of products. """
    counted_products: int
    """ Of these, those that are counted: by brand those that have one. """
    counted_coverage: float
    """ Their share of the products, 0 to 1. """
    groups: int
    """ Number of brands, or of retailers. """
    hhi: float | None
    """ Herfindahl–Hirschman index of the numbers of products: 10,000 times the sum of squared shares. Null below 5
    groups, and with it the four figures after it. """
    cr4_pct: float | None
    """ Share of the four largest groups in percent. """
    effective_groups: float | None
    """ The number of groups of one size that would have the same index. """
    fragmentation: Fragmentation | None
    """ What the US merger guidelines of 2023, in force, call such an index. """
    fragmentation_2010: Fragmentation | None
    """ What those of 2010 called it. """
    thresholds: list[ConcentrationThresholds]
    """ The limits of both. """
    largest: list[LabelShare]
    """ The ten largest groups, then by label. """
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

        resolved = self.resolved.to_dict()

        aggregate_by: str = self.aggregate_by

        products = self.products

        counted_products = self.counted_products

        counted_coverage = self.counted_coverage

        groups = self.groups

        hhi: float | None
        hhi = self.hhi

        cr4_pct: float | None
        cr4_pct = self.cr4_pct

        effective_groups: float | None
        effective_groups = self.effective_groups

        fragmentation: None | str
        if isinstance(self.fragmentation, str):
            fragmentation = self.fragmentation
        else:
            fragmentation = self.fragmentation

        fragmentation_2010: None | str
        if isinstance(self.fragmentation_2010, str):
            fragmentation_2010 = self.fragmentation_2010
        else:
            fragmentation_2010 = self.fragmentation_2010

        thresholds = []
        for thresholds_item_data in self.thresholds:
            thresholds_item = thresholds_item_data.to_dict()
            thresholds.append(thresholds_item)

        largest = []
        for largest_item_data in self.largest:
            largest_item = largest_item_data.to_dict()
            largest.append(largest_item)

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
                "aggregate_by": aggregate_by,
                "products": products,
                "counted_products": counted_products,
                "counted_coverage": counted_coverage,
                "groups": groups,
                "hhi": hhi,
                "cr4_pct": cr4_pct,
                "effective_groups": effective_groups,
                "fragmentation": fragmentation,
                "fragmentation_2010": fragmentation_2010,
                "thresholds": thresholds,
                "largest": largest,
                "notes": notes,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.concentration_thresholds import ConcentrationThresholds  # noqa: PLC0415
        from ..models.label_share import LabelShare  # noqa: PLC0415
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

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        aggregate_by = check_concentration_by(d.pop("aggregate_by"))

        products = d.pop("products")

        counted_products = d.pop("counted_products")

        counted_coverage = d.pop("counted_coverage")

        groups = d.pop("groups")

        def _parse_hhi(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        hhi = _parse_hhi(d.pop("hhi"))

        def _parse_cr4_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        cr4_pct = _parse_cr4_pct(d.pop("cr4_pct"))

        def _parse_effective_groups(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        effective_groups = _parse_effective_groups(d.pop("effective_groups"))

        def _parse_fragmentation(data: object) -> Fragmentation | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                fragmentation_type_0 = check_fragmentation(data)

                return fragmentation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Fragmentation | None, data)

        fragmentation = _parse_fragmentation(d.pop("fragmentation"))

        def _parse_fragmentation_2010(data: object) -> Fragmentation | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                fragmentation_2010_type_0 = check_fragmentation(data)

                return fragmentation_2010_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Fragmentation | None, data)

        fragmentation_2010 = _parse_fragmentation_2010(d.pop("fragmentation_2010"))

        thresholds = []
        _thresholds = d.pop("thresholds")
        for thresholds_item_data in _thresholds:
            thresholds_item = ConcentrationThresholds.from_dict(thresholds_item_data)

            thresholds.append(thresholds_item)

        largest = []
        _largest = d.pop("largest")
        for largest_item_data in _largest:
            largest_item = LabelShare.from_dict(largest_item_data)

            largest.append(largest_item)

        notes = []
        _notes = d.pop("notes")
        for notes_item_data in _notes:
            notes_item = WithheldNote.from_dict(notes_item_data)

            notes.append(notes_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        category_concentration_answer = cls(
            country=country,
            currency=currency,
            category=category,
            department=department,
            retailer=retailer,
            resolved=resolved,
            aggregate_by=aggregate_by,
            products=products,
            counted_products=counted_products,
            counted_coverage=counted_coverage,
            groups=groups,
            hhi=hhi,
            cr4_pct=cr4_pct,
            effective_groups=effective_groups,
            fragmentation=fragmentation,
            fragmentation_2010=fragmentation_2010,
            thresholds=thresholds,
            largest=largest,
            notes=notes,
            meta=meta,
        )

        category_concentration_answer.additional_properties = d
        return category_concentration_answer

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
