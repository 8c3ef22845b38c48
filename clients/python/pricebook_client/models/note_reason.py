from typing import Literal

NoteReason = Literal[
    "low_coverage",
    "needs_retailer",
    "no_ladder",
    "no_list_price",
    "no_peer",
    "not_observed_before",
    "too_few",
]

NOTE_REASON_VALUES: set[NoteReason] = {
    "low_coverage",
    "needs_retailer",
    "no_ladder",
    "no_list_price",
    "no_peer",
    "not_observed_before",
    "too_few",
}


def check_note_reason(value: str) -> NoteReason:
    if value in NOTE_REASON_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {NOTE_REASON_VALUES!r}"
    )
