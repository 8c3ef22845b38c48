from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.coverage_cell import CoverageCell
    from ..models.linking_coverage import LinkingCoverage


T = TypeVar("T", bound="CoverageAnswer")


@_attrs_define
class CoverageAnswer:
    """Answer of coverage."""

    items: list[CoverageCell]
    """ One page of cells, ordered by platform, country and category root. """
    total: int
    """ Number of cells that fit, on this page and off it. """
    limit: int
    """ Most items of the page, as asked for or by default. """
    offset: int
    """ Items left out before the page, as asked for or by default. """
    linking: LinkingCoverage | None
    """ Likely links of the whole catalog, whatever was asked for; null when it was built without. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.linking_coverage import LinkingCoverage  # noqa: PLC0415

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        total = self.total

        limit = self.limit

        offset = self.offset

        linking: dict[str, Any] | None
        if isinstance(self.linking, LinkingCoverage):
            linking = self.linking.to_dict()
        else:
            linking = self.linking

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "items": items,
                "total": total,
                "limit": limit,
                "offset": offset,
                "linking": linking,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.coverage_cell import CoverageCell  # noqa: PLC0415
        from ..models.linking_coverage import LinkingCoverage  # noqa: PLC0415

        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = CoverageCell.from_dict(items_item_data)

            items.append(items_item)

        total = d.pop("total")

        limit = d.pop("limit")

        offset = d.pop("offset")

        def _parse_linking(data: object) -> LinkingCoverage | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                linking_type_0 = LinkingCoverage.from_dict(data)

                return linking_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LinkingCoverage | None, data)

        linking = _parse_linking(d.pop("linking"))

        coverage_answer = cls(
            items=items,
            total=total,
            limit=limit,
            offset=offset,
            linking=linking,
        )

        coverage_answer.additional_properties = d
        return coverage_answer

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
