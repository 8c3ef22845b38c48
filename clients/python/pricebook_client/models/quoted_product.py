from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.query_reading import QueryReading
    from ..models.term_correction import TermCorrection


T = TypeVar("T", bound="QuotedProduct")


@_attrs_define
class QuotedProduct:
    """The product that a request was understood to be about."""

    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name of one of its listings: the one that was asked for, else the first of the catalog. The answer may name
    another. """
    brand: None | str
    """ Display label of that listing's brand; null for a listing without one. """
    category_path: str
    """ Display path of that listing's category (A > B > C). """
    corrected_terms: list[TermCorrection] | None
    """ Terms that nothing has as they are written, and what was searched for instead; null when none was corrected.
    """
    dropped_terms: list[str] | None
    """ Terms that the best match does not hold; null when it holds all. """
    match_quality: float | None
    """ Share of the query's weight that the best match satisfies, 0 to 1, rounded down to two decimals; 1 when it
    holds every term in the role in which it was asked. """
    understood_as: list[QueryReading] | None
    """ Parts of the query that were read otherwise; null when none was. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        category_path = self.category_path

        corrected_terms: list[dict[str, Any]] | None
        if isinstance(self.corrected_terms, list):
            corrected_terms = []
            for corrected_terms_type_0_item_data in self.corrected_terms:
                corrected_terms_type_0_item = corrected_terms_type_0_item_data.to_dict()
                corrected_terms.append(corrected_terms_type_0_item)

        else:
            corrected_terms = self.corrected_terms

        dropped_terms: list[str] | None
        if isinstance(self.dropped_terms, list):
            dropped_terms = self.dropped_terms

        else:
            dropped_terms = self.dropped_terms

        match_quality: float | None
        match_quality = self.match_quality

        understood_as: list[dict[str, Any]] | None
        if isinstance(self.understood_as, list):
            understood_as = []
            for understood_as_type_0_item_data in self.understood_as:
                understood_as_type_0_item = understood_as_type_0_item_data.to_dict()
                understood_as.append(understood_as_type_0_item)

        else:
            understood_as = self.understood_as

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "category_path": category_path,
                "corrected_terms": corrected_terms,
                "dropped_terms": dropped_terms,
                "match_quality": match_quality,
                "understood_as": understood_as,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.query_reading import QueryReading  # noqa: PLC0415
        from ..models.term_correction import TermCorrection  # noqa: PLC0415

        d = dict(src_dict)
        entity_uid = d.pop("entity_uid")

        product_name = d.pop("product_name")

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        category_path = d.pop("category_path")

        def _parse_corrected_terms(data: object) -> list[TermCorrection] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                corrected_terms_type_0 = []
                _corrected_terms_type_0 = data
                for corrected_terms_type_0_item_data in _corrected_terms_type_0:
                    corrected_terms_type_0_item = TermCorrection.from_dict(
                        corrected_terms_type_0_item_data
                    )

                    corrected_terms_type_0.append(corrected_terms_type_0_item)

                return corrected_terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TermCorrection] | None, data)

        corrected_terms = _parse_corrected_terms(d.pop("corrected_terms"))

        def _parse_dropped_terms(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                dropped_terms_type_0 = cast(list[str], data)

                return dropped_terms_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        dropped_terms = _parse_dropped_terms(d.pop("dropped_terms"))

        def _parse_match_quality(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        match_quality = _parse_match_quality(d.pop("match_quality"))

        def _parse_understood_as(data: object) -> list[QueryReading] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                understood_as_type_0 = []
                _understood_as_type_0 = data
                for understood_as_type_0_item_data in _understood_as_type_0:
                    understood_as_type_0_item = QueryReading.from_dict(
                        understood_as_type_0_item_data
                    )

                    understood_as_type_0.append(understood_as_type_0_item)

                return understood_as_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[QueryReading] | None, data)

        understood_as = _parse_understood_as(d.pop("understood_as"))

        quoted_product = cls(
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            category_path=category_path,
            corrected_terms=corrected_terms,
            dropped_terms=dropped_terms,
            match_quality=match_quality,
            understood_as=understood_as,
        )

        quoted_product.additional_properties = d
        return quoted_product

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
