from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TierShare")


@_attrs_define
class TierShare:
    """A price tier."""

    name: str
    """ entry, value, mid, premium, luxury; fewer than five are named from the top, a single one is mid. """
    from_: float
    """ Edge below it, a price above which belongs to it; 0 for the first tier. """
    to: float | None
    """ Highest price that belongs to it; null for the last tier. """
    products: int
    """ Products of the subject in it. """
    share_pct: float
    """ Their share of the subject's in percent. """
    category_share_pct: float
    """ Share of the category's products in it in percent. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        from_ = self.from_

        to: float | None
        to = self.to

        products = self.products

        share_pct = self.share_pct

        category_share_pct = self.category_share_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "from": from_,
                "to": to,
                "products": products,
                "share_pct": share_pct,
                "category_share_pct": category_share_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        from_ = d.pop("from")

        def _parse_to(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        to = _parse_to(d.pop("to"))

        products = d.pop("products")

        share_pct = d.pop("share_pct")

        category_share_pct = d.pop("category_share_pct")

        tier_share = cls(
            name=name,
            from_=from_,
            to=to,
            products=products,
            share_pct=share_pct,
            category_share_pct=category_share_pct,
        )

        tier_share.additional_properties = d
        return tier_share

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
