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
    from ..models.internal_error import InternalError


T = TypeVar("T", bound="InternalProblem")


@_attrs_define
class InternalProblem:
    """Problem document of INTERNAL: a fault of the server."""

    type_: Literal["/problems/internal"]
    """ URI reference that names the kind of problem. """
    title: Literal["Internal Server Error"]
    """ Title of the status. """
    status: Literal[500]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: InternalError
    """ Error INTERNAL: a fault of the server. """
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
        from ..models.internal_error import InternalError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/internal"], d.pop("type"))
        if type_ != "/problems/internal":
            raise ValueError(
                f"type must match const '/problems/internal', got '{type_}'"
            )

        title = cast(Literal["Internal Server Error"], d.pop("title"))
        if title != "Internal Server Error":
            raise ValueError(
                f"title must match const 'Internal Server Error', got '{title}'"
            )

        status = cast(Literal[500], d.pop("status"))
        if status != 500:
            raise ValueError(f"status must match const 500, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = InternalError.from_dict(d.pop("error"))

        internal_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        internal_problem.additional_properties = d
        return internal_problem

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
