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
    from ..models.forms_details import FormsDetails


T = TypeVar("T", bound="NotAcceptableError")


@_attrs_define
class NotAcceptableError:
    """Error NOT_ACCEPTABLE: `Accept` names no form in which this route answers."""

    code: Literal["NOT_ACCEPTABLE"]
    """ Stable name of the error, to be compared with. """
    message: str
    """ What is wrong, in one sentence for people. """
    details: FormsDetails
    """ Details of a `NOT_ACCEPTABLE` error. """
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
        from ..models.forms_details import FormsDetails  # noqa: PLC0415

        d = dict(src_dict)
        code = cast(Literal["NOT_ACCEPTABLE"], d.pop("code"))
        if code != "NOT_ACCEPTABLE":
            raise ValueError(f"code must match const 'NOT_ACCEPTABLE', got '{code}'")

        message = d.pop("message")

        details = FormsDetails.from_dict(d.pop("details"))

        not_acceptable_error = cls(
            code=code,
            message=message,
            details=details,
        )

        not_acceptable_error.additional_properties = d
        return not_acceptable_error

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
