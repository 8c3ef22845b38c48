from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.best_price_row import BestPriceRow


T = TypeVar("T", bound="BestPricesAnswer")


@_attrs_define
class BestPricesAnswer:
    """Answer of best-prices."""

    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    retailer: None | str
    """ Key of the retailer that was asked for; null for all. """
    requested_items: int
    """ Different ids that were asked for. """
    resolved_items: int
    """ Of these, those with a price. """
    results: list[BestPriceRow]
    """ A row for each id, in the order of the request. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        country: str = self.country

        currency = self.currency

        retailer: None | str
        retailer = self.retailer

        requested_items = self.requested_items

        resolved_items = self.resolved_items

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "country": country,
                "currency": currency,
                "retailer": retailer,
                "requested_items": requested_items,
                "resolved_items": resolved_items,
                "results": results,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.best_price_row import BestPriceRow  # noqa: PLC0415

        d = dict(src_dict)
        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        def _parse_retailer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        retailer = _parse_retailer(d.pop("retailer"))

        requested_items = d.pop("requested_items")

        resolved_items = d.pop("resolved_items")

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = BestPriceRow.from_dict(results_item_data)

            results.append(results_item)

        meta = AnswerMeta.from_dict(d.pop("meta"))

        best_prices_answer = cls(
            country=country,
            currency=currency,
            retailer=retailer,
            requested_items=requested_items,
            resolved_items=resolved_items,
            results=results,
            meta=meta,
        )

        best_prices_answer.additional_properties = d
        return best_prices_answer

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
