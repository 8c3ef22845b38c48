from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.match_kind import MatchKind, check_match_kind

if TYPE_CHECKING:
    from ..models.classify_candidate import ClassifyCandidate
    from ..models.gpc_node import GpcNode


T = TypeVar("T", bound="ClassifyResult")


@_attrs_define
class ClassifyResult:
    """What a phrase stands for."""

    query: str
    """ The phrase without the blanks around it. """
    gpc: GpcNode | None
    """ The node; null where several tie, or where confidence is under 0.5. It is never a nearest guess. """
    match_kind: MatchKind
    """ How a phrase matched. """
    confidence: float
    """ Confidence of the best candidate, 0 to 1: 1 for a title, 0.9 for a synonym, else the share of common words
    among all words of phrase and title; 0 without any. """
    candidates: list[ClassifyCandidate]
    """ What fits, best first, the node itself included: all that tie at the top, else at most five. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.gpc_node import GpcNode  # noqa: PLC0415

        query = self.query

        gpc: dict[str, Any] | None
        if isinstance(self.gpc, GpcNode):
            gpc = self.gpc.to_dict()
        else:
            gpc = self.gpc

        match_kind: str = self.match_kind

        confidence = self.confidence

        candidates = []
        for candidates_item_data in self.candidates:
            candidates_item = candidates_item_data.to_dict()
            candidates.append(candidates_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "query": query,
                "gpc": gpc,
                "match_kind": match_kind,
                "confidence": confidence,
                "candidates": candidates,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.classify_candidate import ClassifyCandidate  # noqa: PLC0415
        from ..models.gpc_node import GpcNode  # noqa: PLC0415

        d = dict(src_dict)
        query = d.pop("query")

        def _parse_gpc(data: object) -> GpcNode | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                gpc_type_0 = GpcNode.from_dict(data)

                return gpc_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(GpcNode | None, data)

        gpc = _parse_gpc(d.pop("gpc"))

        match_kind = check_match_kind(d.pop("match_kind"))

        confidence = d.pop("confidence")

        candidates = []
        _candidates = d.pop("candidates")
        for candidates_item_data in _candidates:
            candidates_item = ClassifyCandidate.from_dict(candidates_item_data)

            candidates.append(candidates_item)

        classify_result = cls(
            query=query,
            gpc=gpc,
            match_kind=match_kind,
            confidence=confidence,
            candidates=candidates,
        )

        classify_result.additional_properties = d
        return classify_result

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
