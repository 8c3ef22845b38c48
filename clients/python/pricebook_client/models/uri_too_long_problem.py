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
    from ..models.uri_too_long_error import UriTooLongError


T = TypeVar("T", bound="UriTooLongProblem")


@_attrs_define
class UriTooLongProblem:
    """Problem document of URI_TOO_LONG: a request target that is too long, or a paid request that is too long to be
    offered.

    """

    type_: Literal["/problems/uri-too-long"]
    """ URI reference that names the kind of problem. """
    title: Literal["URI Too Long"]
    """ Title of the status. """
    status: Literal[414]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: UriTooLongError
    """ Error URI_TOO_LONG: a request target that is too long, or a paid request that is too long to be offered. """
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
        from ..models.uri_too_long_error import UriTooLongError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/uri-too-long"], d.pop("type"))
        if type_ != "/problems/uri-too-long":
            raise ValueError(
                f"type must match const '/problems/uri-too-long', got '{type_}'"
            )

        title = cast(Literal["URI Too Long"], d.pop("title"))
        if title != "URI Too Long":
            raise ValueError(f"title must match const 'URI Too Long', got '{title}'")

        status = cast(Literal[414], d.pop("status"))
        if status != 414:
            raise ValueError(f"status must match const 414, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = UriTooLongError.from_dict(d.pop("error"))

        uri_too_long_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        uri_too_long_problem.additional_properties = d
        return uri_too_long_problem

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
