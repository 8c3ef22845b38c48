from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="RailOffer")


@_attrs_define
class RailOffer:
    """A way to pay that a client can choose."""

    protocol: str
    """ Protocol that the payment is offered and presented with: `x402` or `mpp`. """
    method: str
    """ Scheme of x402, or method of MPP: `exact`; `evm`, `tempo`. """
    network: str
    """ Chain that the payment is settled on, by its CAIP-2 name. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        protocol = self.protocol

        method = self.method

        network = self.network

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "protocol": protocol,
                "method": method,
                "network": network,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        protocol = d.pop("protocol")

        method = d.pop("method")

        network = d.pop("network")

        rail_offer = cls(
            protocol=protocol,
            method=method,
            network=network,
        )

        rail_offer.additional_properties = d
        return rail_offer

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
