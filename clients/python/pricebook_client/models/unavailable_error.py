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
    from ..models.retry_details import RetryDetails


T = TypeVar("T", bound="UnavailableError")


@_attrs_define
class UnavailableError:
    """Error UNAVAILABLE: the server cannot take the request now."""

    code: Literal["UNAVAILABLE"]
    """ Stable name of the error, to be compared with. """
    message: str
    """ What is wrong, in one sentence for people. """
    details: RetryDetails
    """ Details of a `RATE_LIMITED`, `UNAVAILABLE` or `PAYMENT_IN_PROGRESS` error. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        message = self.message

        details = self.details.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "message": message,
                "details": details,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.retry_details import RetryDetails  # noqa: PLC0415

        d = dict(src_dict)
        code = cast(Literal["UNAVAILABLE"], d.pop("code"))
        if code != "UNAVAILABLE":
            raise ValueError(f"code must match const 'UNAVAILABLE', got '{code}'")

        message = d.pop("message")

        details = RetryDetails.from_dict(d.pop("details"))

        unavailable_error = cls(
            code=code,
            message=message,
            details=details,
        )

        unavailable_error.additional_properties = d
        return unavailable_error

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
