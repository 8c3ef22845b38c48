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
    from ..models.rate_limited_error import RateLimitedError


T = TypeVar("T", bound="RateLimitedProblem")


@_attrs_define
class RateLimitedProblem:
    """Problem document of RATE_LIMITED: too many requests of one client, or too many failed payments of one payer."""

    type_: Literal["/problems/rate-limited"]
    """ URI reference that names the kind of problem. """
    title: Literal["Too Many Requests"]
    """ Title of the status. """
    status: Literal[429]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: RateLimitedError
    """ Error RATE_LIMITED: too many requests of one client, or too many failed payments of one payer. """
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
        from ..models.rate_limited_error import RateLimitedError  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["/problems/rate-limited"], d.pop("type"))
        if type_ != "/problems/rate-limited":
            raise ValueError(
                f"type must match const '/problems/rate-limited', got '{type_}'"
            )

        title = cast(Literal["Too Many Requests"], d.pop("title"))
        if title != "Too Many Requests":
            raise ValueError(
                f"title must match const 'Too Many Requests', got '{title}'"
            )

        status = cast(Literal[429], d.pop("status"))
        if status != 429:
            raise ValueError(f"status must match const 429, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = RateLimitedError.from_dict(d.pop("error"))

        rate_limited_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        rate_limited_problem.additional_properties = d
        return rate_limited_problem

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
