from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="IndexPoint")


@_attrs_define
class IndexPoint:
    """A day on which the retailer has a price."""

    date: datetime.date
    """ UTC day of the point. """
    period: str
    """ The same day, as the label of the period. """
    product_count: int
    """ Number of the retailer's products with a price on the day. """
    retailer_avg_price: float
    """ Mean price of the retailer's products on the day, in currency. """
    category_avg_price: float
    """ Mean price of all retailers' products in the category on the day, this one's included, in currency. """
    price_index: float
    """ `retailer_avg_price` over `category_avg_price`, 1 being parity, from the unrounded averages. The two
    assortments differ, so this is no price level: a retailer that sells larger packs has a higher one. For price
    levels read `matched_index`, for trends `stable_avg_price`. """
    stable_avg_price: float | None
    """ Mean price of the retailer's products that are priced on every day with a point; null where there are none,
    and for a single point. """
    insufficient_sample: bool
    """ Whether `product_count` is below `sample_threshold`. """
    sample_threshold: int
    """ Fewest products of the retailer that a point may rest on without being marked. """
    matched_index: float | None
    """ Price level against other retailers over the same products, 1 being parity: the geometric mean over products
    of the retailer's price over the geometric mean of the other retailers' prices. A retailer's price is its lowest
    for that product and day, in new condition; ratios beyond a third or three are left out as wrong matches. Null
    under 10 products. """
    matched_pairs: int
    """ Number of products that `matched_index` rests on, or would. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        period = self.period

        product_count = self.product_count

        retailer_avg_price = self.retailer_avg_price

        category_avg_price = self.category_avg_price

        price_index = self.price_index

        stable_avg_price: float | None
        stable_avg_price = self.stable_avg_price

        insufficient_sample = self.insufficient_sample

        sample_threshold = self.sample_threshold

        matched_index: float | None
        matched_index = self.matched_index

        matched_pairs = self.matched_pairs

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "date": date,
                "period": period,
                "product_count": product_count,
                "retailer_avg_price": retailer_avg_price,
                "category_avg_price": category_avg_price,
                "price_index": price_index,
                "stable_avg_price": stable_avg_price,
                "insufficient_sample": insufficient_sample,
                "sample_threshold": sample_threshold,
                "matched_index": matched_index,
                "matched_pairs": matched_pairs,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))

        period = d.pop("period")

        product_count = d.pop("product_count")

        retailer_avg_price = d.pop("retailer_avg_price")

        category_avg_price = d.pop("category_avg_price")

        price_index = d.pop("price_index")

        def _parse_stable_avg_price(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        stable_avg_price = _parse_stable_avg_price(d.pop("stable_avg_price"))

        insufficient_sample = d.pop("insufficient_sample")

        sample_threshold = d.pop("sample_threshold")

        def _parse_matched_index(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        matched_index = _parse_matched_index(d.pop("matched_index"))

        matched_pairs = d.pop("matched_pairs")

        index_point = cls(
            date=date,
            period=period,
            product_count=product_count,
            retailer_avg_price=retailer_avg_price,
            category_avg_price=category_avg_price,
            price_index=price_index,
            stable_avg_price=stable_avg_price,
            insufficient_sample=insufficient_sample,
            sample_threshold=sample_threshold,
            matched_index=matched_index,
            matched_pairs=matched_pairs,
        )

        index_point.additional_properties = d
        return index_point

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
