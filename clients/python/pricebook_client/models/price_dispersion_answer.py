from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.cross_retailer_spread import CrossRetailerSpread
    from ..models.histogram_bin import HistogramBin
    from ..models.price_percentiles import PricePercentiles
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="PriceDispersionAnswer")


@_attrs_define
class PriceDispersionAnswer:
    """Answer of price-dispersion."""

    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    products: int
    """ Listings of condition new with a price of the last 90 days; every figure is of their current prices. """
    mean: float
    """ Arithmetic mean of the prices, in currency. """
    median: float
    """ Median of the prices, in currency. """
    std_dev: float
    """ Sample standard deviation of the prices, in currency. """
    coefficient_of_variation: float
    """ Standard deviation over mean: 0.5 means that prices scatter by half their mean. """
    percentiles: PricePercentiles
    """ Quantiles, linear between the prices around them. """
    iqr_to_median: float
    """ Distance from p25 to p75 over p50: a spread that single absurd prices do not move. """
    histogram: list[HistogramBin]
    """ Eight bins of equal width from the 1 % to the 99 % quantile, the cheapest first. A price on an inner edge
    belongs to the upper bin; what lies outside is counted in the first and the last. """
    cross_retailer: CrossRetailerSpread | None
    """ Spread of the same product across retailers; null where no product is sold by two. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.cross_retailer_spread import CrossRetailerSpread  # noqa: PLC0415

        category = self.category

        department: None | str
        department = self.department

        country: str = self.country

        currency = self.currency

        retailer: None | str
        retailer = self.retailer

        products = self.products

        mean = self.mean

        median = self.median

        std_dev = self.std_dev

        coefficient_of_variation = self.coefficient_of_variation

        percentiles = self.percentiles.to_dict()

        iqr_to_median = self.iqr_to_median

        histogram = []
        for histogram_item_data in self.histogram:
            histogram_item = histogram_item_data.to_dict()
            histogram.append(histogram_item)

        cross_retailer: dict[str, Any] | None
        if isinstance(self.cross_retailer, CrossRetailerSpread):
            cross_retailer = self.cross_retailer.to_dict()
        else:
            cross_retailer = self.cross_retailer

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "category": category,
                "department": department,
                "country": country,
                "currency": currency,
                "retailer": retailer,
                "products": products,
                "mean": mean,
                "median": median,
                "std_dev": std_dev,
                "coefficient_of_variation": coefficient_of_variation,
                "percentiles": percentiles,
                "iqr_to_median": iqr_to_median,
                "histogram": histogram,
                "cross_retailer": cross_retailer,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.cross_retailer_spread import CrossRetailerSpread  # noqa: PLC0415
        from ..models.histogram_bin import HistogramBin  # noqa: PLC0415
        from ..models.price_percentiles import PricePercentiles  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        products = d.pop("products")

        mean = d.pop("mean")

        median = d.pop("median")

        std_dev = d.pop("std_dev")

        coefficient_of_variation = d.pop("coefficient_of_variation")

        percentiles = PricePercentiles.from_dict(d.pop("percentiles"))

        iqr_to_median = d.pop("iqr_to_median")

        histogram = []
        _histogram = d.pop("histogram")
        for histogram_item_data in _histogram:
            histogram_item = HistogramBin.from_dict(histogram_item_data)

            histogram.append(histogram_item)

        def _parse_cross_retailer(data: object) -> CrossRetailerSpread | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                cross_retailer_type_0 = CrossRetailerSpread.from_dict(data)

                return cross_retailer_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CrossRetailerSpread | None, data)

        cross_retailer = _parse_cross_retailer(d.pop("cross_retailer"))

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        price_dispersion_answer = cls(
            category=category,
            department=department,
            country=country,
            currency=currency,
            retailer=retailer,
            products=products,
            mean=mean,
            median=median,
            std_dev=std_dev,
            coefficient_of_variation=coefficient_of_variation,
            percentiles=percentiles,
            iqr_to_median=iqr_to_median,
            histogram=histogram,
            cross_retailer=cross_retailer,
            resolved=resolved,
            meta=meta,
        )

        price_dispersion_answer.additional_properties = d
        return price_dispersion_answer

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
