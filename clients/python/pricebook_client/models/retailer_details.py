from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.quality_status import QualityStatus, check_quality_status

T = TypeVar("T", bound="RetailerDetails")


@_attrs_define
class RetailerDetails:
    """Details of a `RETAILER_NOT_SERVING_ELIGIBLE` error."""

    retailer: str
    """ Retailer key that was asked for, in lower case. """
    country: Country
    """ A market of the catalog. """
    quality_status: None | QualityStatus
    """ Best quality status of the retailer's cells in that country; null when it has none there. """
    serving_eligible_retailers: list[str]
    """ Retailers to ask for instead, sorted. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        country: str = self.country

        quality_status: None | str
        if isinstance(self.quality_status, str):
            quality_status = self.quality_status
        else:
            quality_status = self.quality_status

        serving_eligible_retailers = self.serving_eligible_retailers

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "country": country,
                "quality_status": quality_status,
                "serving_eligible_retailers": serving_eligible_retailers,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailer = d.pop("retailer")

        country = check_country(d.pop("country"))

        def _parse_quality_status(data: object) -> None | QualityStatus:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                quality_status_type_0 = check_quality_status(data)

                return quality_status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | QualityStatus, data)

        quality_status = _parse_quality_status(d.pop("quality_status"))

        serving_eligible_retailers = cast(
            list[str], d.pop("serving_eligible_retailers")
        )

        retailer_details = cls(
            retailer=retailer,
            country=country,
            quality_status=quality_status,
            serving_eligible_retailers=serving_eligible_retailers,
        )

        retailer_details.additional_properties = d
        return retailer_details

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
