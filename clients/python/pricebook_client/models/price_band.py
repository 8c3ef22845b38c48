from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.price_band_example import PriceBandExample


T = TypeVar("T", bound="PriceBand")


@_attrs_define
class PriceBand:
    """The window of similar prices, relative to any price of the shelf."""

    half_width_pct: float
    """ How far it reaches, in percent: up to price × (1 + h), down to price / (1 + h). Half a robust standard
    deviation of the logarithms of prices, kept within 5 and 100. """
    clamped: bool
    """ Whether keeping it within 5 and 100 moved it. """
    example: PriceBandExample
    """ A band around a price. """
    inherited_from: None | str
    """ Where it was measured instead of on this shelf, which has too few products or no spread: `type:` and the
    title of the product type, or the slug path or code of an ancestor; null when on the shelf itself. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        half_width_pct = self.half_width_pct

        clamped = self.clamped

        example = self.example.to_dict()

        inherited_from: None | str
        inherited_from = self.inherited_from

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "half_width_pct": half_width_pct,
                "clamped": clamped,
                "example": example,
                "inherited_from": inherited_from,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.price_band_example import PriceBandExample  # noqa: PLC0415

        d = dict(src_dict)
        half_width_pct = d.pop("half_width_pct")

        clamped = d.pop("clamped")

        example = PriceBandExample.from_dict(d.pop("example"))

        def _parse_inherited_from(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        inherited_from = _parse_inherited_from(d.pop("inherited_from"))

        price_band = cls(
            half_width_pct=half_width_pct,
            clamped=clamped,
            example=example,
            inherited_from=inherited_from,
        )

        price_band.additional_properties = d
        return price_band

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
