from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.category_level import CategoryLevel, check_category_level
from ..models.country import Country, check_country
from ..models.gpc_level import GpcLevel, check_gpc_level

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.price_band import PriceBand
    from ..models.price_range import PriceRange
    from ..models.price_tier import PriceTier
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="PriceBandsAnswer")


@_attrs_define
class PriceBandsAnswer:
    """Answer of price-bands."""

    node: str
    """ Slug path of the category, or the classification code. """
    level: CategoryLevel | GpcLevel
    """ Place of a node in its ladder. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    products: int
    """ Listings of condition new with a price of the last 90 days; every figure is of their current prices. """
    price_range: PriceRange
    """ Quantiles of a shelf's own prices, measured on their logarithms. """
    band: PriceBand
    """ The window of similar prices, relative to any price of the shelf. """
    tiers: list[PriceTier]
    """ Tiers of about equal population, the cheapest first: at most five, fewer where many products share a price.
    """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        node = self.node

        level: str
        if isinstance(self.level, str):
            level = self.level
        else:
            level = self.level

        country: str = self.country

        currency = self.currency

        products = self.products

        price_range = self.price_range.to_dict()

        band = self.band.to_dict()

        tiers = []
        for tiers_item_data in self.tiers:
            tiers_item = tiers_item_data.to_dict()
            tiers.append(tiers_item)

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "node": node,
                "level": level,
                "country": country,
                "currency": currency,
                "products": products,
                "price_range": price_range,
                "band": band,
                "tiers": tiers,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.price_band import PriceBand  # noqa: PLC0415
        from ..models.price_range import PriceRange  # noqa: PLC0415
        from ..models.price_tier import PriceTier  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        node = d.pop("node")

        def _parse_level(data: object) -> CategoryLevel | GpcLevel:
            try:
                if not isinstance(data, str):
                    raise TypeError()
                componentsschemas_node_level_type_0 = check_category_level(data)

                return componentsschemas_node_level_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, str):
                raise TypeError()
            componentsschemas_node_level_type_1 = check_gpc_level(data)

            return componentsschemas_node_level_type_1

        level = _parse_level(d.pop("level"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        products = d.pop("products")

        price_range = PriceRange.from_dict(d.pop("price_range"))

        band = PriceBand.from_dict(d.pop("band"))

        tiers = []
        _tiers = d.pop("tiers")
        for tiers_item_data in _tiers:
            tiers_item = PriceTier.from_dict(tiers_item_data)

            tiers.append(tiers_item)

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_bands_answer = cls(
            node=node,
            level=level,
            country=country,
            currency=currency,
            products=products,
            price_range=price_range,
            band=band,
            tiers=tiers,
            resolved=resolved,
            meta=meta,
        )

        price_bands_answer.additional_properties = d
        return price_bands_answer

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
