from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.gpc_level import GpcLevel, check_gpc_level

T = TypeVar("T", bound="GpcNode")


@_attrs_define
class GpcNode:
    """A node of the classification."""

    code: str
    """ Code, 8 digits. """
    title: str
    """ Title of the code. """
    level: GpcLevel
    """ Levels of the classification above attributes. """
    segment: None | str
    """ Title of its segment, the coarsest level; null when the publication has none for it. """
    family: None | str
    """ Title of the family; null above it. """
    class_: None | str
    """ Title of the class; null above it. """
    brick: None | str
    """ Title of the brick; null above it. """
    is_catchall: bool
    """ Whether it is one of the publication's residual bricks, which hold what fits nowhere else. """
    attributes_defined: bool | None
    """ Whether the brick has attributes; null above bricks, and for every brick of a publication without
    attributes: they exist but are not served yet. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        title = self.title

        level: str = self.level

        segment: None | str
        segment = self.segment

        family: None | str
        family = self.family

        class_: None | str
        class_ = self.class_

        brick: None | str
        brick = self.brick

        is_catchall = self.is_catchall

        attributes_defined: bool | None
        attributes_defined = self.attributes_defined

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "title": title,
                "level": level,
                "segment": segment,
                "family": family,
                "class": class_,
                "brick": brick,
                "is_catchall": is_catchall,
                "attributes_defined": attributes_defined,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        title = d.pop("title")

        level = check_gpc_level(d.pop("level"))

        def _parse_segment(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        segment = _parse_segment(d.pop("segment"))

        def _parse_family(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        family = _parse_family(d.pop("family"))

        def _parse_class_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        class_ = _parse_class_(d.pop("class"))

        def _parse_brick(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brick = _parse_brick(d.pop("brick"))

        is_catchall = d.pop("is_catchall")

        def _parse_attributes_defined(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        attributes_defined = _parse_attributes_defined(d.pop("attributes_defined"))

        gpc_node = cls(
            code=code,
            title=title,
            level=level,
            segment=segment,
            family=family,
            class_=class_,
            brick=brick,
            is_catchall=is_catchall,
            attributes_defined=attributes_defined,
        )

        gpc_node.additional_properties = d
        return gpc_node

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
