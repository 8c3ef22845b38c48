from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.classify_result import ClassifyResult


T = TypeVar("T", bound="ClassifyAnswer")


@_attrs_define
class ClassifyAnswer:
    """Answer of classify."""

    results: list[ClassifyResult]
    """ One result per phrase, in the order of the request, repetitions kept. """
    gpc_release: str
    """ Release of the classification, the year and month of its publication. """
    schema_version: str
    """ Version of the response schema. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        gpc_release = self.gpc_release

        schema_version = self.schema_version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "results": results,
                "gpc_release": gpc_release,
                "schema_version": schema_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.classify_result import ClassifyResult  # noqa: PLC0415

        d = dict(src_dict)
        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = ClassifyResult.from_dict(results_item_data)

            results.append(results_item)

        gpc_release = d.pop("gpc_release")

        schema_version = d.pop("schema_version")

        classify_answer = cls(
            results=results,
            gpc_release=gpc_release,
            schema_version=schema_version,
        )

        classify_answer.additional_properties = d
        return classify_answer

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
