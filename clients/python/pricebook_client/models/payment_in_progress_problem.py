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
    from ..models.payment_in_progress_error import PaymentInProgressError


T = TypeVar("T", bound="PaymentInProgressProblem")


@_attrs_define
class PaymentInProgressProblem:
    """Problem document of PAYMENT_IN_PROGRESS: a request with the same payment is being answered."""

    type_: Literal["/problems/payment-in-progress"]
    """ URI reference that names the kind of problem. """
    title: Literal["Conflict"]
    """ Title of the status. """
    status: Literal[409]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: PaymentInProgressError
    """ Error PAYMENT_IN_PROGRESS: a request with the same payment is being answered. """
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
        from ..models.payment_in_progress_error import PaymentInProgressError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/payment-in-progress"], d.pop("type"))
        if type_ != "/problems/payment-in-progress":
            raise ValueError(
                f"type must match const '/problems/payment-in-progress', got '{type_}'"
            )

        title = cast(Literal["Conflict"], d.pop("title"))
        if title != "Conflict":
            raise ValueError(f"title must match const 'Conflict', got '{title}'")

        status = cast(Literal[409], d.pop("status"))
        if status != 409:
            raise ValueError(f"status must match const 409, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = PaymentInProgressError.from_dict(d.pop("error"))

        payment_in_progress_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        payment_in_progress_problem.additional_properties = d
        return payment_in_progress_problem

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
