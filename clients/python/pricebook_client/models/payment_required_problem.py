from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.payment_required_error import PaymentRequiredError


T = TypeVar("T", bound="PaymentRequiredProblem")


@_attrs_define
class PaymentRequiredProblem:
    """Problem document of PAYMENT_REQUIRED: a paid request without a payment, or with one that does not do."""

    type_: Literal["/problems/payment-required"]
    """ URI reference that names the kind of problem. """
    title: Literal["Payment Required"]
    """ Title of the status. """
    status: Literal[402]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: PaymentRequiredError
    """ Error PAYMENT_REQUIRED: a paid request without a payment, or with one that does not do. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        instance = self.instance

        error = self.error.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "title": title,
                "status": status,
                "detail": detail,
                "instance": instance,
                "error": error,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.payment_required_error import PaymentRequiredError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/payment-required"], d.pop("type"))
        if type_ != "/problems/payment-required":
            raise ValueError(
                f"type must match const '/problems/payment-required', got '{type_}'"
            )

        title = cast(Literal["Payment Required"], d.pop("title"))
        if title != "Payment Required":
            raise ValueError(
                f"title must match const 'Payment Required', got '{title}'"
            )

        status = cast(Literal[402], d.pop("status"))
        if status != 402:
            raise ValueError(f"status must match const 402, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = PaymentRequiredError.from_dict(d.pop("error"))

        payment_required_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        payment_required_problem.additional_properties = d
        return payment_required_problem

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
