from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.country_stats import CountryStats


T = TypeVar("T", bound="StatsAnswer")


@_attrs_define
class StatsAnswer:
    """Answer of stats. A listing is one offer of one retailer in one country, priced where it has a price of the last 90
    days.

    """

    as_of: datetime.date
    """ The catalog's now, on which every window hangs: the day after its last observation. """
    snapshot_id: str
    """ Id of the snapshot that answers. """
    schema_version: str
    """ Version of the response schema. """
    gpc_codes: int | None
    """ Nodes of the classification publication, bricks and what lies above them; null when the snapshot has none.
    """
    listings: int
    """ Listings of the countries shown, priced or not. """
    priced_listings: int
    """ Priced listings of the countries shown. """
    observations: int
    """ Listing-days of the countries shown: a listing counts once for each day on which it was observed. """
    countries: list[CountryStats]
    """ us, then ca, or the one that was asked for. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        as_of = self.as_of.isoformat()

        snapshot_id = self.snapshot_id

        schema_version = self.schema_version

        gpc_codes: int | None
        gpc_codes = self.gpc_codes

        listings = self.listings

        priced_listings = self.priced_listings

        observations = self.observations

        countries = []
        for countries_item_data in self.countries:
            countries_item = countries_item_data.to_dict()
            countries.append(countries_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "as_of": as_of,
                "snapshot_id": snapshot_id,
                "schema_version": schema_version,
                "gpc_codes": gpc_codes,
                "listings": listings,
                "priced_listings": priced_listings,
                "observations": observations,
                "countries": countries,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.country_stats import CountryStats  # noqa: PLC0415

        d = dict(src_dict)
        as_of = datetime.date.fromisoformat(d.pop("as_of"))

        snapshot_id = d.pop("snapshot_id")

        schema_version = d.pop("schema_version")

        def _parse_gpc_codes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        gpc_codes = _parse_gpc_codes(d.pop("gpc_codes"))

        listings = d.pop("listings")

        priced_listings = d.pop("priced_listings")

        observations = d.pop("observations")

        countries = []
        _countries = d.pop("countries")
        for countries_item_data in _countries:
            countries_item = CountryStats.from_dict(countries_item_data)

            countries.append(countries_item)

        stats_answer = cls(
            as_of=as_of,
            snapshot_id=snapshot_id,
            schema_version=schema_version,
            gpc_codes=gpc_codes,
            listings=listings,
            priced_listings=priced_listings,
            observations=observations,
            countries=countries,
        )

        stats_answer.additional_properties = d
        return stats_answer

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
