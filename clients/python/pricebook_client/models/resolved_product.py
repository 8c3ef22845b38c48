from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.condition import Condition, check_condition

if TYPE_CHECKING:
    from ..models.pack import Pack


T = TypeVar("T", bound="ResolvedProduct")


@_attrs_define
class ResolvedProduct:
    """The resolved listing."""

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
    product_id: str
    """ Id of the product at the retailer. """
    gtin: None | str
    """ Barcode as a GTIN of 14 digits; null without a usable one. """
    category_path: str
    """ Display path of its category (A > B > C). """
    condition: Condition
    """ The state in which a listing is sold. """
    url: None | str
    """ Address of the offer at the retailer; null when the source has none. """
    pack: None | Pack
    """ Pack size as the name says it; null when it says none, or several. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.pack import Pack  # noqa: PLC0415

        product_uid = self.product_uid

        entity_uid = self.entity_uid

        product_name = self.product_name

        brand: None | str
        brand = self.brand

        retailer = self.retailer

        product_id = self.product_id

        gtin: None | str
        gtin = self.gtin

        category_path = self.category_path

        condition: str = self.condition

        url: None | str
        url = self.url

        pack: dict[str, Any] | None
        if isinstance(self.pack, Pack):
            pack = self.pack.to_dict()
        else:
            pack = self.pack

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "product_uid": product_uid,
                "entity_uid": entity_uid,
                "product_name": product_name,
                "brand": brand,
                "retailer": retailer,
                "product_id": product_id,
                "gtin": gtin,
                "category_path": category_path,
                "condition": condition,
                "url": url,
                "pack": pack,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pack import Pack  # noqa: PLC0415

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

        product_id = d.pop("product_id")

        def _parse_gtin(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        gtin = _parse_gtin(d.pop("gtin"))

        category_path = d.pop("category_path")

        condition = check_condition(d.pop("condition"))

        def _parse_url(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        url = _parse_url(d.pop("url"))

        def _parse_pack(data: object) -> None | Pack:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pack_type_0 = Pack.from_dict(data)

                return pack_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Pack, data)

        pack = _parse_pack(d.pop("pack"))

        resolved_product = cls(
            product_uid=product_uid,
            entity_uid=entity_uid,
            product_name=product_name,
            brand=brand,
            retailer=retailer,
            product_id=product_id,
            gtin=gtin,
            category_path=category_path,
            condition=condition,
            url=url,
            pack=pack,
        )

        resolved_product.additional_properties = d
        return resolved_product

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
