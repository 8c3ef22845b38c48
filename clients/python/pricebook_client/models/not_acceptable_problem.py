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
    from ..models.not_acceptable_error import NotAcceptableError


T = TypeVar("T", bound="NotAcceptableProblem")


@_attrs_define
class NotAcceptableProblem:
    """Problem document of NOT_ACCEPTABLE: `Accept` names no form in which this route answers."""

    type_: Literal["/problems/not-acceptable"]
    """ URI reference that names the kind of problem. """
    title: Literal["Not Acceptable"]
    """ Title of the status. """
    status: Literal[406]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: NotAcceptableError
    """ Error NOT_ACCEPTABLE: `Accept` names no form in which this route answers. """
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
        from ..models.not_acceptable_error import NotAcceptableError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/not-acceptable"], d.pop("type"))
        if type_ != "/problems/not-acceptable":
            raise ValueError(
                f"type must match const '/problems/not-acceptable', got '{type_}'"
            )

        title = cast(Literal["Not Acceptable"], d.pop("title"))
        if title != "Not Acceptable":
            raise ValueError(f"title must match const 'Not Acceptable', got '{title}'")

        status = cast(Literal[406], d.pop("status"))
        if status != 406:
            raise ValueError(f"status must match const 406, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = NotAcceptableError.from_dict(d.pop("error"))

        not_acceptable_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        not_acceptable_problem.additional_properties = d
        return not_acceptable_problem

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
