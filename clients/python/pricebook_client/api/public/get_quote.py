from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.no_results_problem import NoResultsProblem
from ...models.not_published_problem import NotPublishedProblem
from ...models.quote import Quote
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.retailer_not_serving_eligible_problem import (
    RetailerNotServingEligibleProblem,
)
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    request: str,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    params["request"] = request

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/public/quote",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = Quote.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = InvalidParamsProblem.from_dict(response.json())

        return response_400

    if response.status_code == 404:

        def _parse_response_404(
            data: object,
        ) -> NoResultsProblem | NotPublishedProblem | RetailerNotServingEligibleProblem:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_404_type_0 = NoResultsProblem.from_dict(data)

                return response_404_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_404_type_1 = RetailerNotServingEligibleProblem.from_dict(data)

                return response_404_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            response_404_type_2 = NotPublishedProblem.from_dict(data)

            return response_404_type_2

        response_404 = _parse_response_404(response.json())

        return response_404

    if response.status_code == 405:
        response_405 = MethodNotAllowedProblem.from_dict(response.json())

        return response_405

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
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
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
    request: str,
    x_request_id: str | Unset = UNSET,
) -> Response[
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """What a paid request costs, how it can be paid, and what it was understood to be about.

     Use it before you pay: it tells what a request costs at this server, which ways to pay are open, and
    which product, category, brand or codes the request was understood to be about; nothing of what is
    for sale. It is refused for whatever the paid request would be refused for, with the same error, so
    what is quoted can be bought. rails is empty where the server answers for nothing. Members that do
    not fit the endpoint are absent; a null within one means what it means in the answer. Free.

    Args:
        request (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | NotPublishedProblem | RetailerNotServingEligibleProblem | Quote | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        request=request,
        x_request_id=x_request_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    request: str,
    x_request_id: str | Unset = UNSET,
) -> (
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """What a paid request costs, how it can be paid, and what it was understood to be about.

     Use it before you pay: it tells what a request costs at this server, which ways to pay are open, and
    which product, category, brand or codes the request was understood to be about; nothing of what is
    for sale. It is refused for whatever the paid request would be refused for, with the same error, so
    what is quoted can be bought. rails is empty where the server answers for nothing. Members that do
    not fit the endpoint are absent; a null within one means what it means in the answer. Free.

    Args:
        request (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | NotPublishedProblem | RetailerNotServingEligibleProblem | Quote | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        request=request,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    request: str,
    x_request_id: str | Unset = UNSET,
) -> Response[
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """What a paid request costs, how it can be paid, and what it was understood to be about.

     Use it before you pay: it tells what a request costs at this server, which ways to pay are open, and
    which product, category, brand or codes the request was understood to be about; nothing of what is
    for sale. It is refused for whatever the paid request would be refused for, with the same error, so
    what is quoted can be bought. rails is empty where the server answers for nothing. Members that do
    not fit the endpoint are absent; a null within one means what it means in the answer. Free.

    Args:
        request (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | NotPublishedProblem | RetailerNotServingEligibleProblem | Quote | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        request=request,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    request: str,
    x_request_id: str | Unset = UNSET,
) -> (
    InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | NotPublishedProblem
    | RetailerNotServingEligibleProblem
    | Quote
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """What a paid request costs, how it can be paid, and what it was understood to be about.

     Use it before you pay: it tells what a request costs at this server, which ways to pay are open, and
    which product, category, brand or codes the request was understood to be about; nothing of what is
    for sale. It is refused for whatever the paid request would be refused for, with the same error, so
    what is quoted can be bought. rails is empty where the server answers for nothing. Members that do
    not fit the endpoint are absent; a null within one means what it means in the answer. Free.

    Args:
        request (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | NotPublishedProblem | RetailerNotServingEligibleProblem | Quote | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            request=request,
            x_request_id=x_request_id,
        )
    ).parsed
