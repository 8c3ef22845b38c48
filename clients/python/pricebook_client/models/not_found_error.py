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
    from ..models.no_details import NoDetails


T = TypeVar("T", bound="NotFoundError")


@_attrs_define
class NotFoundError:
    """Error NOT_FOUND: no such path."""

    code: Literal["NOT_FOUND"]
    """ Stable name of the error, to be compared with. """
    message: str
    """ What is wrong, in one sentence for people. """
    details: NoDetails
    """ Details of an error that has none: an empty object. """
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
        from ..models.no_details import NoDetails  # noqa: PLC0415

        d = dict(src_dict)
        code = cast(Literal["NOT_FOUND"], d.pop("code"))
        if code != "NOT_FOUND":
            raise ValueError(f"code must match const 'NOT_FOUND', got '{code}'")

        message = d.pop("message")

        details = NoDetails.from_dict(d.pop("details"))

        not_found_error = cls(
            code=code,
            message=message,
            details=details,
        )

        not_found_error.additional_properties = d
        return not_found_error

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
