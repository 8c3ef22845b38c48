from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.index_contribution import IndexContribution


T = TypeVar("T", bound="IndexContributions")


@_attrs_define
class IndexContributions:
    """The products that moved an index most."""

    matched: int
    """ Products in both the base and the last period. """
    up: list[IndexContribution]
    """ The five that rose most. """
    down: list[IndexContribution]
    """ The five that fell most. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        matched = self.matched

        up = []
        for up_item_data in self.up:
            up_item = up_item_data.to_dict()
            up.append(up_item)

        down = []
        for down_item_data in self.down:
            down_item = down_item_data.to_dict()
            down.append(down_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "matched": matched,
                "up": up,
                "down": down,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.index_contribution import IndexContribution  # noqa: PLC0415

        d = dict(src_dict)
        matched = d.pop("matched")

        up = []
        _up = d.pop("up")
        for up_item_data in _up:
            up_item = IndexContribution.from_dict(up_item_data)

            up.append(up_item)

        down = []
        _down = d.pop("down")
        for down_item_data in _down:
            down_item = IndexContribution.from_dict(down_item_data)

            down.append(down_item)

        index_contributions = cls(
            matched=matched,
            up=up,
            down=down,
        )

        index_contributions.additional_properties = d
        return index_contributions

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
