from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.brick_mapping import BrickMapping, check_brick_mapping
from ..models.gpc_level import GpcLevel, check_gpc_level

T = TypeVar("T", bound="ListingGpc")


@_attrs_define
class ListingGpc:
    """The classification of a listing."""

    code: str
    """ Code of the brick, 8 digits. """
    title: str
    """ Title of the brick. """
    level: GpcLevel
    """ Levels of the classification above attributes. """
    segment: None | str
    """ Title of its segment, the coarsest level; null when the publication has none for it. """
    family: None | str
    """ Title of its family; null when the publication has none for it. """
    class_: None | str
    """ Title of its class; null when the publication has none for it. """
    brick: None | str
    """ Title of its brick, the finest level; null for a coarser code. """
    is_catchall: bool
    """ Whether the brick is one of the publication's residual ones, which hold what fits nowhere else. """
    mapping: BrickMapping
    """ How a listing got its brick. """
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

        mapping: str = self.mapping

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
                "mapping": mapping,
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

        mapping = check_brick_mapping(d.pop("mapping"))

        listing_gpc = cls(
            code=code,
            title=title,
            level=level,
            segment=segment,
            family=family,
            class_=class_,
            brick=brick,
            is_catchall=is_catchall,
            mapping=mapping,
        )

        listing_gpc.additional_properties = d
        return listing_gpc

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
