from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.get_openapi_response_200 import GetOpenapiResponse200
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/openapi.json",
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = GetOpenapiResponse200.from_dict(response.json())

        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 400:
        response_400 = InvalidParamsProblem.from_dict(response.json())

        return response_400

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

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
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
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
    | UriTooLongProblem
]:
    """This document.

     Use it to generate a client, or to learn every parameter, field and error. It changes with the
    program and not with the snapshot. Nothing in it is null. Free.

    Args:
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | GetOpenapiResponse200 | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | RateLimitedProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
    | UriTooLongProblem
    | None
):
    """This document.

     Use it to generate a client, or to learn every parameter, field and error. It changes with the
    program and not with the snapshot. Nothing in it is null. Free.

    Args:
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | GetOpenapiResponse200 | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | RateLimitedProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
    | UriTooLongProblem
]:
    """This document.

     Use it to generate a client, or to learn every parameter, field and error. It changes with the
    program and not with the snapshot. Nothing in it is null. Free.

    Args:
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | GetOpenapiResponse200 | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | RateLimitedProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | GetOpenapiResponse200
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | RateLimitedProblem
    | UriTooLongProblem
    | None
):
    """This document.

     Use it to generate a client, or to learn every parameter, field and error. It changes with the
    program and not with the snapshot. Nothing in it is null. Free.

    Args:
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | GetOpenapiResponse200 | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | RateLimitedProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            if_none_match=if_none_match,
            x_request_id=x_request_id,
        )
    ).parsed
