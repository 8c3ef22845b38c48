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
    from ..models.retailer_not_serving_eligible_error import (
        RetailerNotServingEligibleError,
    )


T = TypeVar("T", bound="RetailerNotServingEligibleProblem")


@_attrs_define
class RetailerNotServingEligibleProblem:
    """Problem document of RETAILER_NOT_SERVING_ELIGIBLE: the retailer cannot be asked for now."""

    type_: Literal["/problems/retailer-not-serving-eligible"]
    """ URI reference that names the kind of problem. """
    title: Literal["Not Found"]
    """ Title of the status. """
    status: Literal[404]
    """ Status of the response. """
    detail: str
    """ What to change so that the request is answered. """
    instance: str
    """ Path of the request. """
    error: RetailerNotServingEligibleError
    """ Error RETAILER_NOT_SERVING_ELIGIBLE: the retailer cannot be asked for now. """
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
        from ..models.retailer_not_serving_eligible_error import (
            RetailerNotServingEligibleError,  # noqa: PLC0415
        )

        d = dict(src_dict)
        type_ = cast(Literal["/problems/retailer-not-serving-eligible"], d.pop("type"))
        if type_ != "/problems/retailer-not-serving-eligible":
            raise ValueError(
                f"type must match const '/problems/retailer-not-serving-eligible', got '{type_}'"
            )

        title = cast(Literal["Not Found"], d.pop("title"))
        if title != "Not Found":
            raise ValueError(f"title must match const 'Not Found', got '{title}'")

        status = cast(Literal[404], d.pop("status"))
        if status != 404:
            raise ValueError(f"status must match const 404, got '{status}'")

        detail = d.pop("detail")

        instance = d.pop("instance")

        error = RetailerNotServingEligibleError.from_dict(d.pop("error"))

        retailer_not_serving_eligible_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            error=error,
        )

        retailer_not_serving_eligible_problem.additional_properties = d
        return retailer_not_serving_eligible_problem

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
