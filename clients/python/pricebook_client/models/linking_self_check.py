from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LinkingSelfCheck")


@_attrs_define
class LinkingSelfCheck:
    """The linker held against barcodes."""

    pairs: int
    """ Pairs to be found: one for a barcode and two retailers of a country that both sell it. """
    links: int
    """ Links made. """
    precision: float | None
    """ Share of the links whose listings have one barcode; null under 50 pairs, and without links. """
    recall: float | None
    """ Share of the pairs that were linked; null under 50 pairs. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pairs = self.pairs

        links = self.links

        precision: float | None
        precision = self.precision

        recall: float | None
        recall = self.recall

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pairs": pairs,
                "links": links,
                "precision": precision,
                "recall": recall,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pairs = d.pop("pairs")

        links = d.pop("links")

        def _parse_precision(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        precision = _parse_precision(d.pop("precision"))

        def _parse_recall(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        recall = _parse_recall(d.pop("recall"))

        linking_self_check = cls(
            pairs=pairs,
            links=links,
            precision=precision,
            recall=recall,
        )

        linking_self_check.additional_properties = d
        return linking_self_check

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
