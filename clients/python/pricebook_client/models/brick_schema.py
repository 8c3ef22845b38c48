from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.brick_attribute import BrickAttribute
    from ..models.gpc_node import GpcNode


T = TypeVar("T", bound="BrickSchema")


@_attrs_define
class BrickSchema:
    """Attribute schema of a code."""

    gpc_code: str
    """ The code, 8 digits. """
    gpc: GpcNode
    """ A node of the classification. """
    attributes: list[BrickAttribute]
    """ Attributes in the order of the publication. An empty list means that there are none only when
    `gpc.attributes_defined` is false; when that is null the list is unknown. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        gpc_code = self.gpc_code

        gpc = self.gpc.to_dict()

        attributes = []
        for attributes_item_data in self.attributes:
            attributes_item = attributes_item_data.to_dict()
            attributes.append(attributes_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "gpc_code": gpc_code,
                "gpc": gpc,
                "attributes": attributes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.brick_attribute import BrickAttribute  # noqa: PLC0415
        from ..models.gpc_node import GpcNode  # noqa: PLC0415

        d = dict(src_dict)
        gpc_code = d.pop("gpc_code")

        gpc = GpcNode.from_dict(d.pop("gpc"))

        attributes = []
        _attributes = d.pop("attributes")
        for attributes_item_data in _attributes:
            attributes_item = BrickAttribute.from_dict(attributes_item_data)

            attributes.append(attributes_item)

        brick_schema = cls(
            gpc_code=gpc_code,
            gpc=gpc,
            attributes=attributes,
        )

        brick_schema.additional_properties = d
        return brick_schema

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
