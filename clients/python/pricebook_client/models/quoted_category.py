from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.match_source import MatchSource, check_match_source

if TYPE_CHECKING:
    from ..models.quoted_alternate import QuotedAlternate


T = TypeVar("T", bound="QuotedCategory")


@_attrs_define
class QuotedCategory:
    """The category that a request was understood to be about."""

    input_: str
    """ What was asked for, as given. """
    category_path: str
    """ Display path of the category (A > B > C), or ancestry of the classification code. """
    department: None | str
    """ Root segment of the path; null for a classification code. """
    match_source: MatchSource
    """ How a category text was understood. """
    match_confidence: float
    """ Confidence of the match, 0 to 1. """
    alternates: list[QuotedAlternate]
    """ Other categories that the input fits equally well, best first, at most five. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        input_ = self.input_

        category_path = self.category_path

        department: None | str
        department = self.department

        match_source: str = self.match_source

        match_confidence = self.match_confidence

        alternates = []
        for alternates_item_data in self.alternates:
            alternates_item = alternates_item_data.to_dict()
            alternates.append(alternates_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "input": input_,
                "category_path": category_path,
                "department": department,
                "match_source": match_source,
                "match_confidence": match_confidence,
                "alternates": alternates,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.quoted_alternate import QuotedAlternate  # noqa: PLC0415

        d = dict(src_dict)
        input_ = d.pop("input")

        category_path = d.pop("category_path")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        match_source = check_match_source(d.pop("match_source"))

        match_confidence = d.pop("match_confidence")

        alternates = []
        _alternates = d.pop("alternates")
        for alternates_item_data in _alternates:
            alternates_item = QuotedAlternate.from_dict(alternates_item_data)

            alternates.append(alternates_item)

        quoted_category = cls(
            input_=input_,
            category_path=category_path,
            department=department,
            match_source=match_source,
            match_confidence=match_confidence,
            alternates=alternates,
        )

        quoted_category.additional_properties = d
        return quoted_category

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
