from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_method import ChangeMethod, check_change_method

T = TypeVar("T", bound="BasketPoint")


@_attrs_define
class BasketPoint:
    """A point of the time series: a period that holds an observation."""

    date: datetime.date
    """ First day of the period inside the window. """
    period: str
    """ Label: the day, the ISO week or the month. """
    avg_price: float
    """ Mean over products of their mean price in the period, in currency. """
    min_price: float
    """ Lowest mean price of a product in the period. """
    max_price: float
    """ Highest mean price of a product in the period. """
    median_price: float
    """ Median over products of their mean price in the period. """
    product_count: int
    """ Number of products with a price in the period. """
    observation_count: int
    """ Number of observations in the period, one per listing and day. """
    change_pct: float | None
    """ Change from the point before in percent; null on the first point. """
    matched_basket_size: int | None
    """ Number of products priced at this point and the one before; null on the first point. """
    method: ChangeMethod | None
    """ How change_pct was computed; null on the first point. """
    in_stock_count: int
    """ Number of products whose last observation in the period is in stock. """
    promo_count: int
    """ Number of products whose last observation in the period is on promotion. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        period = self.period

        avg_price = self.avg_price

        min_price = self.min_price

        max_price = self.max_price

        median_price = self.median_price

        product_count = self.product_count

        observation_count = self.observation_count

        change_pct: float | None
        change_pct = self.change_pct

        matched_basket_size: int | None
        matched_basket_size = self.matched_basket_size

        method: None | str
        if isinstance(self.method, str):
            method = self.method
        else:
            method = self.method

        in_stock_count = self.in_stock_count

        promo_count = self.promo_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "date": date,
                "period": period,
                "avg_price": avg_price,
                "min_price": min_price,
                "max_price": max_price,
                "median_price": median_price,
                "product_count": product_count,
                "observation_count": observation_count,
                "change_pct": change_pct,
                "matched_basket_size": matched_basket_size,
                "method": method,
                "in_stock_count": in_stock_count,
                "promo_count": promo_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))

        period = d.pop("period")

        avg_price = d.pop("avg_price")

        min_price = d.pop("min_price")

        max_price = d.pop("max_price")

        median_price = d.pop("median_price")

        product_count = d.pop("product_count")

        observation_count = d.pop("observation_count")

        def _parse_change_pct(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        change_pct = _parse_change_pct(d.pop("change_pct"))

        def _parse_matched_basket_size(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        matched_basket_size = _parse_matched_basket_size(d.pop("matched_basket_size"))

        def _parse_method(data: object) -> ChangeMethod | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                method_type_0 = check_change_method(data)

                return method_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChangeMethod | None, data)

        method = _parse_method(d.pop("method"))

        in_stock_count = d.pop("in_stock_count")

        promo_count = d.pop("promo_count")

        basket_point = cls(
            date=date,
            period=period,
            avg_price=avg_price,
            min_price=min_price,
            max_price=max_price,
            median_price=median_price,
            product_count=product_count,
            observation_count=observation_count,
            change_pct=change_pct,
            matched_basket_size=matched_basket_size,
            method=method,
            in_stock_count=in_stock_count,
            promo_count=promo_count,
        )

        basket_point.additional_properties = d
        return basket_point

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
