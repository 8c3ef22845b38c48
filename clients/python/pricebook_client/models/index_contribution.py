from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="IndexContribution")


@_attrs_define
class IndexContribution:
    """A product that moved an index."""

    product_uid: str
    """ Stable id of the listing. """
    entity_uid: str
    """ Stable id of the product across retailers. """
    product_name: str
    """ Name at the retailer. """
    brand: None | str
    """ Display label of the brand; null for a listing without one. """
    retailer: str
    """ Retailer platform key. """
    from_price: float
    """ Mean price in the base period, in currency. """
    to_price: float
    """ Mean price in the last period. """
    change_pct: float
    """ Change from the one to the other in percent. """
    contribution_pct: float
    """ What that adds to 100 × ln jevons_fixed. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        retailer = self.retailer

        from_price = self.from_price

        to_price = self.to_price

        change_pct = self.change_pct

        contribution_pct = self.contribution_pct

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "retailer": retailer,
                "from_price": from_price,
                "to_price": to_price,
                "change_pct": change_pct,
                "contribution_pct": contribution_pct,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        product_uid = d.pop("product_uid")

        entity_uid = d.pop("entity_uid")

        product_name = d.pop("product_name")

        def _parse_brand(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        brand = _parse_brand(d.pop("brand"))

        retailer = d.pop("retailer")

        from_price = d.pop("from_price")

        to_price = d.pop("to_price")

        change_pct = d.pop("change_pct")

        contribution_pct = d.pop("contribution_pct")

        index_contribution = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            retailer=retailer,
            from_price=from_price,
            to_price=to_price,
            change_pct=change_pct,
            contribution_pct=contribution_pct,
        )

        index_contribution.additional_properties = d
        return index_contribution

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
