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
    from ..models.method_not_allowed_error import MethodNotAllowedError


T = TypeVar("T", bound="MethodNotAllowedProblem")


@_attrs_define
class MethodNotAllowedProblem:
    """Problem document of METHOD_NOT_ALLOWED: another method than GET, HEAD or OPTIONS."""

    type_: Literal["/problems/method-not-allowed"]
    """ URI reference that names the kind of problem. """
    title: Literal["Method Not Allowed"]
    """ Title of the status. """
    status: Literal[405]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: MethodNotAllowedError
    """ Error METHOD_NOT_ALLOWED: another method than GET, HEAD or OPTIONS. """
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
        from ..models.method_not_allowed_error import MethodNotAllowedError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/method-not-allowed"], d.pop("type"))
        if type_ != "/problems/method-not-allowed":
            raise ValueError(
                f"type must match const '/problems/method-not-allowed', got '{type_}'"
            )

        title = cast(Literal["Method Not Allowed"], d.pop("title"))
        if title != "Method Not Allowed":
            raise ValueError(
                f"title must match const 'Method Not Allowed', got '{title}'"
            )

        status = cast(Literal[405], d.pop("status"))
        if status != 405:
            raise ValueError(f"status must match const 405, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = MethodNotAllowedError.from_dict(d.pop("error"))

        method_not_allowed_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        method_not_allowed_problem.additional_properties = d
        return method_not_allowed_problem

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
