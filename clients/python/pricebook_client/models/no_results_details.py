from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country
from ..models.no_results_reason import NoResultsReason, check_no_results_reason
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.nearest_product import NearestProduct


T = TypeVar("T", bound="NoResultsDetails")


@_attrs_define
class NoResultsDetails:
    """Details of a `NO_RESULTS` error."""

    reason: NoResultsReason
    """ Why nothing was found. """
    terms: list[str] | Unset = UNSET
    """ The terms of `q` as they were understood. """
    other_country: Country | None | Unset = UNSET
    """ The other country, where it has what was asked for, at a price; null where it has not, absent where that was
    not looked up. """
    match_quality: float | Unset = UNSET
    """ The match_quality of the best match of `q`, which is below min_quality; 0 where nothing matches. """
    nearest: list[NearestProduct] | Unset = UNSET
    """ The best matches of `q` by name, at most three, one per product. """
    suggestions: list[str] | Unset = UNSET
    """ What to ask for instead, at most five: category slugs, brand labels, or terms. Terms are other names of the
    thing and product types that `q` names, then words that are spelled like its first unknown one. """
    categories: list[str] | Unset = UNSET
    """ Slugs of categories to look for a product in, at most five. """
    periods: int | Unset = UNSET
    """ Periods of the window with enough products for an index. """
    matched: int | Unset = UNSET
    """ Products observed in both bands. """
    trimmed: int | Unset = UNSET
    """ Of these, those left out as errors: to less than half or more than double. """
    recent_from: datetime.date | Unset = UNSET
    """ First day of the recent band. """
    recent_to: datetime.date | Unset = UNSET
    """ Last day of the recent band. """
    base_from: datetime.date | Unset = UNSET
    """ First day of the band that it was compared with. """
    base_to: datetime.date | Unset = UNSET
    """ Last day of that band. """
    shifted_days: int | Unset = UNSET
    """ Days by which that band was moved to where something was observed. """
    observed_from: datetime.date | None | Unset = UNSET
    """ First day on which the scope without the window was observed; null where it never was. """
    observed_to: datetime.date | None | Unset = UNSET
    """ Last day on which the scope without the window was observed; null where it never was. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        reason: str = self.reason

        terms: list[str] | Unset = UNSET
        if not isinstance(self.terms, Unset):
            terms = self.terms

        other_country: None | str | Unset
        if isinstance(self.other_country, Unset):
            other_country = UNSET
        elif isinstance(self.other_country, str):
            other_country = self.other_country
        else:
            other_country = self.other_country

        match_quality = self.match_quality

        nearest: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.nearest, Unset):
            nearest = []
            for nearest_item_data in self.nearest:
                nearest_item = nearest_item_data.to_dict()
                nearest.append(nearest_item)

        suggestions: list[str] | Unset = UNSET
        if not isinstance(self.suggestions, Unset):
            suggestions = self.suggestions

        categories: list[str] | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = self.categories

        periods = self.periods

        matched = self.matched

        trimmed = self.trimmed

        recent_from: str | Unset = UNSET
        if not isinstance(self.recent_from, Unset):
            recent_from = self.recent_from.isoformat()

        recent_to: str | Unset = UNSET
        if not isinstance(self.recent_to, Unset):
            recent_to = self.recent_to.isoformat()

        base_from: str | Unset = UNSET
        if not isinstance(self.base_from, Unset):
            base_from = self.base_from.isoformat()

        base_to: str | Unset = UNSET
        if not isinstance(self.base_to, Unset):
            base_to = self.base_to.isoformat()

        shifted_days = self.shifted_days

        observed_from: None | str | Unset
        if isinstance(self.observed_from, Unset):
            observed_from = UNSET
        elif isinstance(self.observed_from, datetime.date):
            observed_from = self.observed_from.isoformat()
        else:
            observed_from = self.observed_from

        observed_to: None | str | Unset
        if isinstance(self.observed_to, Unset):
            observed_to = UNSET
        elif isinstance(self.observed_to, datetime.date):
            observed_to = self.observed_to.isoformat()
        else:
            observed_to = self.observed_to

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reason": reason,
            }
        )
        if terms is not UNSET:
            field_dict["terms"] = terms
        if other_country is not UNSET:
            field_dict["other_country"] = other_country
        if match_quality is not UNSET:
            field_dict["match_quality"] = match_quality
        if nearest is not UNSET:
            field_dict["nearest"] = nearest
        if suggestions is not UNSET:
            field_dict["suggestions"] = suggestions
        if categories is not UNSET:
            field_dict["categories"] = categories
        if periods is not UNSET:
            field_dict["periods"] = periods
        if matched is not UNSET:
            field_dict["matched"] = matched
        if trimmed is not UNSET:
            field_dict["trimmed"] = trimmed
        if recent_from is not UNSET:
            field_dict["recent_from"] = recent_from
        if recent_to is not UNSET:
            field_dict["recent_to"] = recent_to
        if base_from is not UNSET:
            field_dict["base_from"] = base_from
        if base_to is not UNSET:
            field_dict["base_to"] = base_to
        if shifted_days is not UNSET:
            field_dict["shifted_days"] = shifted_days
        if observed_from is not UNSET:
            field_dict["observed_from"] = observed_from
        if observed_to is not UNSET:
            field_dict["observed_to"] = observed_to

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.nearest_product import NearestProduct  # noqa: PLC0415

        d = dict(src_dict)
        reason = check_no_results_reason(d.pop("reason"))

        terms = cast(list[str], d.pop("terms", UNSET))

        def _parse_other_country(data: object) -> Country | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                other_country_type_0 = check_country(data)

                return other_country_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Country | None | Unset, data)

        other_country = _parse_other_country(d.pop("other_country", UNSET))

        match_quality = d.pop("match_quality", UNSET)

        _nearest = d.pop("nearest", UNSET)
        nearest: list[NearestProduct] | Unset = UNSET
        if _nearest is not UNSET:
            nearest = []
            for nearest_item_data in _nearest:
                nearest_item = NearestProduct.from_dict(nearest_item_data)

                nearest.append(nearest_item)

        suggestions = cast(list[str], d.pop("suggestions", UNSET))

        categories = cast(list[str], d.pop("categories", UNSET))

        periods = d.pop("periods", UNSET)

        matched = d.pop("matched", UNSET)

        trimmed = d.pop("trimmed", UNSET)

        _recent_from = d.pop("recent_from", UNSET)
        recent_from: datetime.date | Unset
        if isinstance(_recent_from, Unset):
            recent_from = UNSET
        else:
            recent_from = datetime.date.fromisoformat(_recent_from)

        _recent_to = d.pop("recent_to", UNSET)
        recent_to: datetime.date | Unset
        if isinstance(_recent_to, Unset):
            recent_to = UNSET
        else:
            recent_to = datetime.date.fromisoformat(_recent_to)

        _base_from = d.pop("base_from", UNSET)
        base_from: datetime.date | Unset
        if isinstance(_base_from, Unset):
            base_from = UNSET
        else:
            base_from = datetime.date.fromisoformat(_base_from)

        _base_to = d.pop("base_to", UNSET)
        base_to: datetime.date | Unset
        if isinstance(_base_to, Unset):
            base_to = UNSET
        else:
            base_to = datetime.date.fromisoformat(_base_to)

        shifted_days = d.pop("shifted_days", UNSET)

        def _parse_observed_from(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_from_type_0 = datetime.date.fromisoformat(data)

                return observed_from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        observed_from = _parse_observed_from(d.pop("observed_from", UNSET))

        def _parse_observed_to(data: object) -> datetime.date | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                observed_to_type_0 = datetime.date.fromisoformat(data)

                return observed_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None | Unset, data)

        observed_to = _parse_observed_to(d.pop("observed_to", UNSET))

        no_results_details = cls(
            reason=reason,
            terms=terms,
            other_country=other_country,
            match_quality=match_quality,
            nearest=nearest,
            suggestions=suggestions,
            categories=categories,
            periods=periods,
            matched=matched,
            trimmed=trimmed,
            recent_from=recent_from,
            recent_to=recent_to,
            base_from=base_from,
            base_to=base_to,
            shifted_days=shifted_days,
            observed_from=observed_from,
            observed_to=observed_to,
        )

        no_results_details.additional_properties = d
        return no_results_details

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
