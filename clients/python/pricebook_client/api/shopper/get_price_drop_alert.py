from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.answer_expired_problem import AnswerExpiredProblem
from ...models.country import Country
from ...models.get_price_drop_alert_win import (
    GetPriceDropAlertWin,
)
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.no_results_problem import NoResultsProblem
from ...models.not_acceptable_problem import NotAcceptableProblem
from ...models.payment_in_progress_problem import PaymentInProgressProblem
from ...models.payment_required_problem import PaymentRequiredProblem
from ...models.price_drop_alert_answer import PriceDropAlertAnswer
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.retailer_not_serving_eligible_problem import (
    RetailerNotServingEligibleProblem,
)
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    win: GetPriceDropAlertWin | Unset = 30,
    threshold_pct: int | Unset = 5,
    target_price: float | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    params["q"] = q

    params["product_uid"] = product_uid

    params["entity_uid"] = entity_uid

    json_country: str | Unset = UNSET
    if not isinstance(country, Unset):
        json_country = country

    params["country"] = json_country

    params["retailer"] = retailer

    params["exact_query"] = exact_query

    params["min_quality"] = min_quality

    json_win: int | Unset = UNSET
    if not isinstance(win, Unset):
        json_win = win

    params["win"] = json_win

    params["threshold_pct"] = threshold_pct

    params["target_price"] = target_price

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/shopper/price-drop-alert",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = PriceDropAlertAnswer.from_dict(response.json())

        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 400:
        response_400 = InvalidParamsProblem.from_dict(response.json())

        return response_400

    if response.status_code == 402:
        response_402 = PaymentRequiredProblem.from_dict(response.json())

        return response_402

    if response.status_code == 404:

        def _parse_response_404(
            data: object,
        ) -> NoResultsProblem | RetailerNotServingEligibleProblem:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_404_type_0 = NoResultsProblem.from_dict(data)

                return response_404_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            response_404_type_1 = RetailerNotServingEligibleProblem.from_dict(data)

            return response_404_type_1

        response_404 = _parse_response_404(response.json())

        return response_404

    if response.status_code == 405:
        response_405 = MethodNotAllowedProblem.from_dict(response.json())

        return response_405

    if response.status_code == 406:
        response_406 = NotAcceptableProblem.from_dict(response.json())

        return response_406

    if response.status_code == 409:
        response_409 = PaymentInProgressProblem.from_dict(response.json())

        return response_409

    if response.status_code == 410:
        response_410 = AnswerExpiredProblem.from_dict(response.json())

        return response_410

    if response.status_code == 414:
        response_414 = UriTooLongProblem.from_dict(response.json())

        return response_414

    if response.status_code == 429:
        response_429 = RateLimitedProblem.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = InternalProblem.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = UnavailableProblem.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    win: GetPriceDropAlertWin | Unset = 30,
    threshold_pct: int | Unset = 5,
    target_price: float | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """Whether a product has become cheaper by so much, or as cheap as you wait for.

     Use it to check, again and again, whether a product has become cheaper by threshold_pct within the
    last win days, or costs no more than target_price. Pin the product with product_uid or entity_uid,
    so that every check is about the same one. The answer changes with the snapshot and not by the hour:
    meta.snapshot_id tells whether asking again is worth it. from_price, to_price and drop_pct are null
    when it has not dropped, target_hit without a target_price. insufficient_history says that fewer
    than 5 days were compared. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        win (GetPriceDropAlertWin | Unset):  Default: 30.
        threshold_pct (int | Unset):  Default: 5.
        target_price (float | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceDropAlertAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        country=country,
        retailer=retailer,
        exact_query=exact_query,
        min_quality=min_quality,
        win=win,
        threshold_pct=threshold_pct,
        target_price=target_price,
        x_request_id=x_request_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    win: GetPriceDropAlertWin | Unset = 30,
    threshold_pct: int | Unset = 5,
    target_price: float | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """Whether a product has become cheaper by so much, or as cheap as you wait for.

     Use it to check, again and again, whether a product has become cheaper by threshold_pct within the
    last win days, or costs no more than target_price. Pin the product with product_uid or entity_uid,
    so that every check is about the same one. The answer changes with the snapshot and not by the hour:
    meta.snapshot_id tells whether asking again is worth it. from_price, to_price and drop_pct are null
    when it has not dropped, target_hit without a target_price. insufficient_history says that fewer
    than 5 days were compared. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        win (GetPriceDropAlertWin | Unset):  Default: 30.
        threshold_pct (int | Unset):  Default: 5.
        target_price (float | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceDropAlertAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        country=country,
        retailer=retailer,
        exact_query=exact_query,
        min_quality=min_quality,
        win=win,
        threshold_pct=threshold_pct,
        target_price=target_price,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    win: GetPriceDropAlertWin | Unset = 30,
    threshold_pct: int | Unset = 5,
    target_price: float | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """Whether a product has become cheaper by so much, or as cheap as you wait for.

     Use it to check, again and again, whether a product has become cheaper by threshold_pct within the
    last win days, or costs no more than target_price. Pin the product with product_uid or entity_uid,
    so that every check is about the same one. The answer changes with the snapshot and not by the hour:
    meta.snapshot_id tells whether asking again is worth it. from_price, to_price and drop_pct are null
    when it has not dropped, target_hit without a target_price. insufficient_history says that fewer
    than 5 days were compared. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        win (GetPriceDropAlertWin | Unset):  Default: 30.
        threshold_pct (int | Unset):  Default: 5.
        target_price (float | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceDropAlertAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        country=country,
        retailer=retailer,
        exact_query=exact_query,
        min_quality=min_quality,
        win=win,
        threshold_pct=threshold_pct,
        target_price=target_price,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    win: GetPriceDropAlertWin | Unset = 30,
    threshold_pct: int | Unset = 5,
    target_price: float | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | PriceDropAlertAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """Whether a product has become cheaper by so much, or as cheap as you wait for.

     Use it to check, again and again, whether a product has become cheaper by threshold_pct within the
    last win days, or costs no more than target_price. Pin the product with product_uid or entity_uid,
    so that every check is about the same one. The answer changes with the snapshot and not by the hour:
    meta.snapshot_id tells whether asking again is worth it. from_price, to_price and drop_pct are null
    when it has not dropped, target_hit without a target_price. insufficient_history says that fewer
    than 5 days were compared. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        win (GetPriceDropAlertWin | Unset):  Default: 30.
        threshold_pct (int | Unset):  Default: 5.
        target_price (float | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceDropAlertAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            q=q,
            product_uid=product_uid,
            entity_uid=entity_uid,
            country=country,
            retailer=retailer,
            exact_query=exact_query,
            min_quality=min_quality,
            win=win,
            threshold_pct=threshold_pct,
            target_price=target_price,
            x_request_id=x_request_id,
        )
    ).parsed
