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
    from ..models.no_results_details import NoResultsDetails


T = TypeVar("T", bound="NoResultsError")


@_attrs_define
class NoResultsError:
    """Error NO_RESULTS: the catalog holds nothing for the request."""

    code: Literal["NO_RESULTS"]
    """ Stable name of the error, to be compared with. """
    message: str
    """ What is wrong, in one sentence for people. """
    details: NoResultsDetails
    """ Details of a `NO_RESULTS` error. """
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
        from ..models.no_results_details import NoResultsDetails  # noqa: PLC0415

        d = dict(src_dict)
        code = cast(Literal["NO_RESULTS"], d.pop("code"))
        if code != "NO_RESULTS":
            raise ValueError(f"code must match const 'NO_RESULTS', got '{code}'")

        message = d.pop("message")

        details = NoResultsDetails.from_dict(d.pop("details"))

        no_results_error = cls(
            code=code,
            message=message,
            details=details,
        )

        no_results_error.additional_properties = d
        return no_results_error

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
