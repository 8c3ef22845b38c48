from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LabelShare")


@_attrs_define
class LabelShare:
    """Products of a group among those of a scope."""

    label: str
    """ Brand or retailer platform key. """
    product_count: int
    """ Its listings with a price of the last 90 days. """
    share_pct: float
    """ Their share of all that are counted, shown or not, in percent. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        product_count = self.product_count

        share_pct = self.share_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "label": label,
                "product_count": product_count,
                "share_pct": share_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label")

        product_count = d.pop("product_count")

        share_pct = d.pop("share_pct")

        label_share = cls(
            label=label,
            product_count=product_count,
            share_pct=share_pct,
        )

        label_share.additional_properties = d
        return label_share

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
