from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.quality_status import QualityStatus, check_quality_status

T = TypeVar("T", bound="ListedRetailer")


@_attrs_define
class ListedRetailer:
    """A retailer in a country."""

    retailer: str
    """ Retailer platform key. """
    country: Country
    """ A market of the catalog. """
    quality_status: QualityStatus
    """ State of a coverage cell. """
    is_serving_eligible: bool
    """ Whether the retailer parameter of other routes accepts it in this country. """
    product_count: int
    """ Listings with a price of the last 90 days. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        country: str = self.country

        quality_status: str = self.quality_status

        is_serving_eligible = self.is_serving_eligible

        product_count = self.product_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "country": country,
                "quality_status": quality_status,
                "is_serving_eligible": is_serving_eligible,
                "product_count": product_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retailer = d.pop("retailer")

        country = check_country(d.pop("country"))

        quality_status = check_quality_status(d.pop("quality_status"))

        is_serving_eligible = d.pop("is_serving_eligible")

        product_count = d.pop("product_count")

        listed_retailer = cls(
            retailer=retailer,
            country=country,
            quality_status=quality_status,
            is_serving_eligible=is_serving_eligible,
            product_count=product_count,
        )

        listed_retailer.additional_properties = d
        return listed_retailer

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
