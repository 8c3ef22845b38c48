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
    from ..models.target_details import TargetDetails


T = TypeVar("T", bound="UriTooLongError")


@_attrs_define
class UriTooLongError:
    """Error URI_TOO_LONG: a request target that is too long, or a paid request that is too long to be offered."""

    code: Literal["URI_TOO_LONG"]
    """ Stable name of the error, to be compared with. """
    message: str
    """ What is wrong, in one sentence for people. """
    details: TargetDetails
    """ Details of a `URI_TOO_LONG` error. """
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
        from ..models.target_details import TargetDetails  # noqa: PLC0415

        d = dict(src_dict)
        code = cast(Literal["URI_TOO_LONG"], d.pop("code"))
        if code != "URI_TOO_LONG":
            raise ValueError(f"code must match const 'URI_TOO_LONG', got '{code}'")

        message = d.pop("message")

        details = TargetDetails.from_dict(d.pop("details"))

        uri_too_long_error = cls(
            code=code,
            message=message,
            details=details,
        )

        uri_too_long_error.additional_properties = d
        return uri_too_long_error

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
