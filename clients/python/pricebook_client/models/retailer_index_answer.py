from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country import Country, check_country

if TYPE_CHECKING:
    from ..models.answer_meta import AnswerMeta
    from ..models.answer_window import AnswerWindow
    from ..models.index_point import IndexPoint
    from ..models.resolved_category import ResolvedCategory


T = TypeVar("T", bound="RetailerIndexAnswer")


@_attrs_define
class RetailerIndexAnswer:
    """Answer of retailer-index. Averages of different assortments are no price level; for that read `matched_index`."""

    retailer: str
    """ Key of the retailer that was asked for. """
    category: str
    """ Display path of the category. """
    department: None | str
    """ Root of the category; null for a classification code. """
    country: Country
    """ A market of the catalog. """
    currency: str
    """ Currency of every price of the answer: USD in us, CAD in ca. """
    window: AnswerWindow
    """ The `window` block. """
    sample_threshold: int
    """ Fewest products of the retailer that a point may rest on without being marked. """
    insufficient_sample_points: int
    """ Number of points below sample_threshold. """
    insufficient_sample: bool
    """ Whether any point is below sample_threshold. """
    stable_basket_size: int | None
    """ Number of the retailer's products that are priced on every day with a point; null for a single point. """
    time_series: list[IndexPoint]
    """ One point per day on which the retailer has any price in the category, oldest first. """
    resolved: ResolvedCategory
    """ The `resolved` block of category answers. """
    meta: AnswerMeta
    """ The `meta` block. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        retailer = self.retailer

        category = self.category

        department: None | str
        department = self.department

        country: str = self.country

        currency = self.currency

        window = self.window.to_dict()

        sample_threshold = self.sample_threshold

        insufficient_sample_points = self.insufficient_sample_points

        insufficient_sample = self.insufficient_sample

        stable_basket_size: int | None
        stable_basket_size = self.stable_basket_size

        time_series = []
        for time_series_item_data in self.time_series:
            time_series_item = time_series_item_data.to_dict()
            time_series.append(time_series_item)

        resolved = self.resolved.to_dict()

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "retailer": retailer,
                "category": category,
                "department": department,
                "country": country,
                "currency": currency,
                "window": window,
                "sample_threshold": sample_threshold,
                "insufficient_sample_points": insufficient_sample_points,
                "insufficient_sample": insufficient_sample,
                "stable_basket_size": stable_basket_size,
                "time_series": time_series,
                "resolved": resolved,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.answer_meta import AnswerMeta  # noqa: PLC0415
        from ..models.answer_window import AnswerWindow  # noqa: PLC0415
        from ..models.index_point import IndexPoint  # noqa: PLC0415
        from ..models.resolved_category import ResolvedCategory  # noqa: PLC0415

        d = dict(src_dict)
        retailer = d.pop("retailer")

        category = d.pop("category")

        def _parse_department(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        department = _parse_department(d.pop("department"))

        country = check_country(d.pop("country"))

        currency = d.pop("currency")

        window = AnswerWindow.from_dict(d.pop("window"))

        sample_threshold = d.pop("sample_threshold")

        insufficient_sample_points = d.pop("insufficient_sample_points")

        insufficient_sample = d.pop("insufficient_sample")

        def _parse_stable_basket_size(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        stable_basket_size = _parse_stable_basket_size(d.pop("stable_basket_size"))

        time_series = []
        _time_series = d.pop("time_series")
        for time_series_item_data in _time_series:
            time_series_item = IndexPoint.from_dict(time_series_item_data)

            time_series.append(time_series_item)

        resolved = ResolvedCategory.from_dict(d.pop("resolved"))

        meta = AnswerMeta.from_dict(d.pop("meta"))

        retailer_index_answer = cls(
            retailer=retailer,
            category=category,
            department=department,
            country=country,
            currency=currency,
            window=window,
            sample_threshold=sample_threshold,
            insufficient_sample_points=insufficient_sample_points,
            insufficient_sample=insufficient_sample,
            stable_basket_size=stable_basket_size,
            time_series=time_series,
            resolved=resolved,
            meta=meta,
        )

        retailer_index_answer.additional_properties = d
        return retailer_index_answer

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
