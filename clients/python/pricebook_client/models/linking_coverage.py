from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.linking_self_check import LinkingSelfCheck


T = TypeVar("T", bound="LinkingCoverage")


@_attrs_define
class LinkingCoverage:
    """Likely links: how many, how sure, and how far they reach beyond barcodes."""

    listings_without_barcode: int
    """ Listings without a usable barcode. """
    linked_listings: int
    """ Listings with a likely link. """
    links: int
    """ Likely links: unordered pairs of listings of two retailers of one country. """
    threshold: float
    """ Confidence from which a pair is linked. """
    comparable_by_barcode: int
    """ Priced listings that another retailer of the country sells at a price too, by barcode. """
    comparable_with_links: int
    """ The same by barcode or likely link. """
    self_check: LinkingSelfCheck
    """ The linker held against barcodes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        listings_without_barcode = self.listings_without_barcode

        linked_listings = self.linked_listings

        links = self.links

        threshold = self.threshold

        comparable_by_barcode = self.comparable_by_barcode

        comparable_with_links = self.comparable_with_links

        self_check = self.self_check.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "listings_without_barcode": listings_without_barcode,
                "linked_listings": linked_listings,
                "links": links,
                "threshold": threshold,
                "comparable_by_barcode": comparable_by_barcode,
                "comparable_with_links": comparable_with_links,
                "self_check": self_check,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.linking_self_check import LinkingSelfCheck  # noqa: PLC0415

        d = dict(src_dict)
        listings_without_barcode = d.pop("listings_without_barcode")

        linked_listings = d.pop("linked_listings")

        links = d.pop("links")

        threshold = d.pop("threshold")

        comparable_by_barcode = d.pop("comparable_by_barcode")

        comparable_with_links = d.pop("comparable_with_links")

        self_check = LinkingSelfCheck.from_dict(d.pop("self_check"))

        linking_coverage = cls(
            listings_without_barcode=listings_without_barcode,
            linked_listings=linked_listings,
            links=links,
            threshold=threshold,
            comparable_by_barcode=comparable_by_barcode,
            comparable_with_links=comparable_with_links,
            self_check=self_check,
        )

        linking_coverage.additional_properties = d
        return linking_coverage

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
