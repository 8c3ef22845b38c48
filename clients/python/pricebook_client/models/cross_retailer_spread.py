from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CrossRetailerSpread")


@_attrs_define
class CrossRetailerSpread:
    """Spread of the same product across retailers, each with its lowest price."""

    entities: int
    """ Products sold by two retailers or more. """
    median_spread_pct: float
    """ Median over products of (highest − lowest) / lowest, in percent. """
    p90_spread_pct: float
    """ 90 % quantile of the same, in percent. """
    mean_gap_to_second_pct: float
    """ Mean over products of how far the second-lowest price is above the lowest, in percent. """
    mean_saving: float
    """ Mean over products of what the lowest price saves against the mean of all, in money. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        entities = self.entities

        median_spread_pct = self.median_spread_pct

        p90_spread_pct = self.p90_spread_pct

        mean_gap_to_second_pct = self.mean_gap_to_second_pct

        mean_saving = self.mean_saving

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "entities": entities,
                "median_spread_pct": median_spread_pct,
                "p90_spread_pct": p90_spread_pct,
                "mean_gap_to_second_pct": mean_gap_to_second_pct,
                "mean_saving": mean_saving,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        entities = d.pop("entities")

        median_spread_pct = d.pop("median_spread_pct")

        p90_spread_pct = d.pop("p90_spread_pct")

        mean_gap_to_second_pct = d.pop("mean_gap_to_second_pct")

        mean_saving = d.pop("mean_saving")

        cross_retailer_spread = cls(
            entities=entities,
            median_spread_pct=median_spread_pct,
            p90_spread_pct=p90_spread_pct,
            mean_gap_to_second_pct=mean_gap_to_second_pct,
            mean_saving=mean_saving,
        )

        cross_retailer_spread.additional_properties = d
        return cross_retailer_spread

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
