from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

T = TypeVar("T", bound="CountryStats")


@_attrs_define
class CountryStats:
    """How much the catalog holds of a country. Listings are priced or not, unless the name says otherwise."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of its prices: USD in us, CAD in ca. """
    listings: int
    """ Listings. """
    priced_listings: int
    """ Listings with a price of the last 90 days. """
    barcoded_listings: int
    """ Listings with a usable barcode. """
    entities: int
    """ Different products: listings that share a usable barcode are one, any other stands alone. """
    priced_entities: int
    """ Different products with a price of the last 90 days. """
    cross_retailer_entities: int
    """ Different products that two retailers or more sell, by listings with a price of the last 90 days. """
    retailer_count: int
    """ Retailers with a listing. """
    serving_eligible_retailer_count: int
    """ Retailers that may be asked for by name. """
    brand_count: int
    """ Brands with a listing. """
    category_count: int
    """ Categories with a listing, on every level. """
    category_root_count: int
    """ Root categories with a listing. """
    observations: int
    """ Listing-days: a listing counts once for each day on which it was observed. """
    observed_from: datetime.date | None
    """ First day of an observation; null without any. """
    observed_to: datetime.date | None
    """ Last day of an observation; null without any. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        country: str = self.country

        currency = self.currency

        listings = self.listings

        priced_listings = self.priced_listings

        barcoded_listings = self.barcoded_listings

        entities = self.entities

        priced_entities = self.priced_entities

        cross_retailer_entities = self.cross_retailer_entities

        retailer_count = self.retailer_count

        serving_eligible_retailer_count = self.serving_eligible_retailer_count

        brand_count = self.brand_count

        category_count = self.category_count

        category_root_count = self.category_root_count

        observations = self.observations

        observed_from: None | str
        if isinstance(self.observed_from, datetime.date):
            observed_from = self.observed_from.isoformat()
        else:
            observed_from = self.observed_from

        observed_to: None | str
        if isinstance(self.observed_to, datetime.date):
            observed_to = self.observed_to.isoformat()
        else:
            observed_to = self.observed_to

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "country": country,
                "currency": currency,
                "listings": listings,
                "priced_listings": priced_listings,
                "barcoded_listings": barcoded_listings,
                "entities": entities,
                "priced_entities": priced_entities,
                "cross_retailer_entities": cross_retailer_entities,
                "retailer_count": retailer_count,
                "serving_eligible_retailer_count": serving_eligible_retailer_count,
                "brand_count": brand_count,
                "category_count": category_count,
                "category_root_count": category_root_count,
                "observations": observations,
                "observed_from": observed_from,
                "observed_to": observed_to,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        listings = d.pop("listings")

        priced_listings = d.pop("priced_listings")

        barcoded_listings = d.pop("barcoded_listings")

        entities = d.pop("entities")

        priced_entities = d.pop("priced_entities")

        cross_retailer_entities = d.pop("cross_retailer_entities")

        retailer_count = d.pop("retailer_count")

        serving_eligible_retailer_count = d.pop("serving_eligible_retailer_count")

        brand_count = d.pop("brand_count")

        category_count = d.pop("category_count")

        category_root_count = d.pop("category_root_count")

        observations = d.pop("observations")

        def _parse_observed_from(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_from_type_0 = datetime.date.fromisoformat(data)

                return observed_from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        observed_from = _parse_observed_from(d.pop("observed_from"))

        def _parse_observed_to(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_to_type_0 = datetime.date.fromisoformat(data)

                return observed_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        observed_to = _parse_observed_to(d.pop("observed_to"))

        country_stats = cls(
            country=country,
            currency=currency,
            listings=listings,
            priced_listings=priced_listings,
            barcoded_listings=barcoded_listings,
            entities=entities,
            priced_entities=priced_entities,
            cross_retailer_entities=cross_retailer_entities,
            retailer_count=retailer_count,
            serving_eligible_retailer_count=serving_eligible_retailer_count,
            brand_count=brand_count,
            category_count=category_count,
            category_root_count=category_root_count,
            observations=observations,
            observed_from=observed_from,
            observed_to=observed_to,
        )

        country_stats.additional_properties = d
        return country_stats

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
