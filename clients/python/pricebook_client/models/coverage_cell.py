from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.quality_status import QualityStatus, check_quality_status

T = TypeVar("T", bound="CoverageCell")


@_attrs_define
class CoverageCell:
    """A coverage cell."""

    platform: str
    """ Retailer platform key. """
    country: Country
    """ A market of the catalog. """
    category_root: str
    """ Slug of the root category. """
    priced_product_count: int
    """ Listings with any observation. """
    recent_priced_product_count: int
    """ Listings with a price of the last 90 days. """
    known_brand_product_count: int
    """ Listings with a brand, priced or not. """
    quality_status: QualityStatus
    """ State of a coverage cell. """
    is_serving_eligible: bool
    """ Whether quality_status is `serving`; a retailer with one such cell may be asked for in the whole country.
    """
    last_observed_at: datetime.datetime
    """ Instant of the cell's newest observation; the start of its day where the source has days only. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        platform = self.platform

        country: str = self.country

        category_root = self.category_root

        priced_product_count = self.priced_product_count

        recent_priced_product_count = self.recent_priced_product_count

        known_brand_product_count = self.known_brand_product_count

        quality_status: str = self.quality_status

        is_serving_eligible = self.is_serving_eligible

        last_observed_at = self.last_observed_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "platform": platform,
                "country": country,
                "category_root": category_root,
                "priced_product_count": priced_product_count,
                "recent_priced_product_count": recent_priced_product_count,
                "known_brand_product_count": known_brand_product_count,
                "quality_status": quality_status,
                "is_serving_eligible": is_serving_eligible,
                "last_observed_at": last_observed_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        platform = d.pop("platform")

        country = check_country(d.pop("country"))

        category_root = d.pop("category_root")

        priced_product_count = d.pop("priced_product_count")

        recent_priced_product_count = d.pop("recent_priced_product_count")

        known_brand_product_count = d.pop("known_brand_product_count")

        quality_status = check_quality_status(d.pop("quality_status"))

        is_serving_eligible = d.pop("is_serving_eligible")

        last_observed_at = datetime.datetime.fromisoformat(d.pop("last_observed_at"))

        coverage_cell = cls(
            platform=platform,
            country=country,
            category_root=category_root,
            priced_product_count=priced_product_count,
            recent_priced_product_count=recent_priced_product_count,
            known_brand_product_count=known_brand_product_count,
            quality_status=quality_status,
            is_serving_eligible=is_serving_eligible,
            last_observed_at=last_observed_at,
        )

        coverage_cell.additional_properties = d
        return coverage_cell

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
