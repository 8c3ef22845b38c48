from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.answer_expired_problem import AnswerExpiredProblem
from ...models.classify_answer import ClassifyAnswer
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.not_acceptable_problem import NotAcceptableProblem
from ...models.not_published_problem import NotPublishedProblem
from ...models.payment_in_progress_problem import PaymentInProgressProblem
from ...models.payment_required_problem import PaymentRequiredProblem
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    q: str,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    params["q"] = q

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/reference/classify",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    AnswerExpiredProblem
    | Any
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = ClassifyAnswer.from_dict(response.json())

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
        response_404 = NotPublishedProblem.from_dict(response.json())

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
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
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
    q: str,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """The classification codes that everyday phrases stand for.

     Use it to turn everyday phrases, up to 100 at once, into codes of the product classification (GPC).
    gpc is null where several codes fit equally well (match_kind co_equal) or none well enough: it is
    never a nearest guess, so choose among candidates yourself. A code can be asked for as category in
    the priced endpoints, and as gpc_code in brick-attributes. To find categories of the shops
    themselves, use /v1/public/categories. Costs 0.01 USD.

    Args:
        q (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | ClassifyAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | NotPublishedProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        x_request_id=x_request_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    q: str,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """The classification codes that everyday phrases stand for.

     Use it to turn everyday phrases, up to 100 at once, into codes of the product classification (GPC).
    gpc is null where several codes fit equally well (match_kind co_equal) or none well enough: it is
    never a nearest guess, so choose among candidates yourself. A code can be asked for as category in
    the priced endpoints, and as gpc_code in brick-attributes. To find categories of the shops
    themselves, use /v1/public/categories. Costs 0.01 USD.

    Args:
        q (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | ClassifyAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | NotPublishedProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        q=q,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    q: str,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """The classification codes that everyday phrases stand for.

     Use it to turn everyday phrases, up to 100 at once, into codes of the product classification (GPC).
    gpc is null where several codes fit equally well (match_kind co_equal) or none well enough: it is
    never a nearest guess, so choose among candidates yourself. A code can be asked for as category in
    the priced endpoints, and as gpc_code in brick-attributes. To find categories of the shops
    themselves, use /v1/public/categories. Costs 0.01 USD.

    Args:
        q (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | ClassifyAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | NotPublishedProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    q: str,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | ClassifyAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | NotPublishedProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """The classification codes that everyday phrases stand for.

     Use it to turn everyday phrases, up to 100 at once, into codes of the product classification (GPC).
    gpc is null where several codes fit equally well (match_kind co_equal) or none well enough: it is
    never a nearest guess, so choose among candidates yourself. A code can be asked for as category in
    the priced endpoints, and as gpc_code in brick-attributes. To find categories of the shops
    themselves, use /v1/public/categories. Costs 0.01 USD.

    Args:
        q (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | ClassifyAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | NotPublishedProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            q=q,
            x_request_id=x_request_id,
        )
    ).parsed
