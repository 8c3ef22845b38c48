from typing import Literal

PaymentReason = Literal[
    "amount",
    "expired",
    "malformed",
    "not_ours",
    "payment_used",
    "refused",
    "settlement_failed",
    "signature",
    "terms",
]

PAYMENT_REASON_VALUES: set[PaymentReason] = {
    "amount",
    "expired",
    "malformed",
    "not_ours",
    "payment_used",
    "refused",
    "settlement_failed",
    "signature",
    "terms",
}


def check_payment_reason(value: str) -> PaymentReason:
    if value in PAYMENT_REASON_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PAYMENT_REASON_VALUES!r}"
    )
