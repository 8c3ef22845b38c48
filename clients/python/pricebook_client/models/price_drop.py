from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PriceDrop")


@_attrs_define
class PriceDrop:
    """A fall of the price from one row to the next."""

    date: datetime.date
    """ Day of the lower price. """
    from_price: float
    """ Price of the series' day before, in currency. """
    to_price: float
    """ Price on date, in currency. """
    pct: float
    """ Size of the fall in percent, positive. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        from_price = self.from_price

        to_price = self.to_price

        pct = self.pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "date": date,
                "from_price": from_price,
                "to_price": to_price,
                "pct": pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))

        from_price = d.pop("from_price")

        to_price = d.pop("to_price")

        pct = d.pop("pct")

        price_drop = cls(
            date=date,
            from_price=from_price,
            to_price=to_price,
            pct=pct,
        )

        price_drop.additional_properties = d
        return price_drop

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
