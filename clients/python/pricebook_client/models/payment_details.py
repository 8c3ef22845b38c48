from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.payment_reason import PaymentReason, check_payment_reason
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.quoted_price import QuotedPrice


T = TypeVar("T", bound="PaymentDetails")


@_attrs_define
class PaymentDetails:
    """Details of a `PAYMENT_REQUIRED` error. The ways to pay are in the header fields of the response."""

    price: QuotedPrice
    """ What an answer costs. """
    reason: PaymentReason | Unset = UNSET
    """ Why a payment was not taken. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        price = self.price.to_dict()

        reason: str | Unset = UNSET
        if not isinstance(self.reason, Unset):
            reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "price": price,
            }
        )
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.quoted_price import QuotedPrice  # noqa: PLC0415

        d = dict(src_dict)
        price = QuotedPrice.from_dict(d.pop("price"))

        _reason = d.pop("reason", UNSET)
        reason: PaymentReason | Unset
        if isinstance(_reason, Unset):
            reason = UNSET
        else:
            reason = check_payment_reason(_reason)

        payment_details = cls(
            price=price,
            reason=reason,
        )

        payment_details.additional_properties = d
        return payment_details

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
