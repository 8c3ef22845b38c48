from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.brick_schema import BrickSchema


T = TypeVar("T", bound="BrickAttributesAnswer")


@_attrs_define
class BrickAttributesAnswer:
    """Answer of brick-attributes."""

    results: list[BrickSchema]
    """ Codes that the publication holds, in the order of the request, each once. """
    unresolved: list[str]
    """ Codes that it does not hold, in the order of the request, each once. """
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

        unresolved = self.unresolved

        gpc_release = self.gpc_release

        schema_version = self.schema_version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "results": results,
                "unresolved": unresolved,
                "gpc_release": gpc_release,
                "schema_version": schema_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.brick_schema import BrickSchema  # noqa: PLC0415

        d = dict(src_dict)
        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = BrickSchema.from_dict(results_item_data)

            results.append(results_item)

        unresolved = cast(list[str], d.pop("unresolved"))

        gpc_release = d.pop("gpc_release")

        schema_version = d.pop("schema_version")

        brick_attributes_answer = cls(
            results=results,
            unresolved=unresolved,
            gpc_release=gpc_release,
            schema_version=schema_version,
        )

        brick_attributes_answer.additional_properties = d
        return brick_attributes_answer

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
