from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.country import Country
from ...models.coverage_answer import CoverageAnswer
from ...models.internal_error import InternalError
from ...models.invalid_params_error import InvalidParamsError
from ...models.method_not_allowed_error import MethodNotAllowedError
from ...models.not_acceptable_error import NotAcceptableError
from ...models.quality_status import QualityStatus
from ...models.rate_limited_error import RateLimitedError
from ...models.unavailable_error import UnavailableError
from ...models.uri_too_long_error import UriTooLongError
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    country: Country | Unset = UNSET,
    platform: str | Unset = UNSET,
    category_root: str | Unset = UNSET,
    quality_status: QualityStatus | Unset = UNSET,
    limit: int | Unset = 200,
    offset: int | Unset = 0,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    json_country: str | Unset = UNSET
    if not isinstance(country, Unset):
        json_country = country

    params["country"] = json_country

    params["platform"] = platform

    params["category_root"] = category_root

    json_quality_status: str | Unset = UNSET
    if not isinstance(quality_status, Unset):
        json_quality_status = quality_status

    params["quality_status"] = json_quality_status

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/public/coverage",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
    | None
):
    if response.status_code == 200:
        response_200 = CoverageAnswer.from_dict(response.json())

        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 400:
        response_400 = InvalidParamsError.from_dict(response.json())

        return response_400

    if response.status_code == 405:
        response_405 = MethodNotAllowedError.from_dict(response.json())

        return response_405

    if response.status_code == 406:
        response_406 = NotAcceptableError.from_dict(response.json())

        return response_406

    if response.status_code == 414:
        response_414 = UriTooLongError.from_dict(response.json())

        return response_414

    if response.status_code == 429:
        response_429 = RateLimitedError.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = InternalError.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = UnavailableError.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
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
    country: Country | Unset = UNSET,
    platform: str | Unset = UNSET,
    category_root: str | Unset = UNSET,
    quality_status: QualityStatus | Unset = UNSET,
    limit: int | Unset = 200,
    offset: int | Unset = 0,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
]:
    """What the catalog covers by platform, country and root category.

     Use it first, to learn what this server has: retailers, countries and root categories, with numbers
    of products and the time of the newest observation. quality_status serving means enough and fresh;
    thin or stale cells are answered too, with less behind them. A retailer with one serving cell may be
    asked for by name in that country. linking is null where the catalog was built without likely links,
    its precision where too few pairs were there to measure it. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        platform (str | Unset):
        category_root (str | Unset):
        quality_status (QualityStatus | Unset): State of a coverage cell.
        limit (int | Unset):  Default: 200.
        offset (int | Unset):  Default: 0.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | CoverageAnswer | InternalError | InvalidParamsError | MethodNotAllowedError | NotAcceptableError | RateLimitedError | UnavailableError | UriTooLongError]
    """

    kwargs = _get_kwargs(
        country=country,
        platform=platform,
        category_root=category_root,
        quality_status=quality_status,
        limit=limit,
        offset=offset,
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
    country: Country | Unset = UNSET,
    platform: str | Unset = UNSET,
    category_root: str | Unset = UNSET,
    quality_status: QualityStatus | Unset = UNSET,
    limit: int | Unset = 200,
    offset: int | Unset = 0,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
    | None
):
    """What the catalog covers by platform, country and root category.

     Use it first, to learn what this server has: retailers, countries and root categories, with numbers
    of products and the time of the newest observation. quality_status serving means enough and fresh;
    thin or stale cells are answered too, with less behind them. A retailer with one serving cell may be
    asked for by name in that country. linking is null where the catalog was built without likely links,
    its precision where too few pairs were there to measure it. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        platform (str | Unset):
        category_root (str | Unset):
        quality_status (QualityStatus | Unset): State of a coverage cell.
        limit (int | Unset):  Default: 200.
        offset (int | Unset):  Default: 0.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | CoverageAnswer | InternalError | InvalidParamsError | MethodNotAllowedError | NotAcceptableError | RateLimitedError | UnavailableError | UriTooLongError
    """

    return sync_detailed(
        client=client,
        country=country,
        platform=platform,
        category_root=category_root,
        quality_status=quality_status,
        limit=limit,
        offset=offset,
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    country: Country | Unset = UNSET,
    platform: str | Unset = UNSET,
    category_root: str | Unset = UNSET,
    quality_status: QualityStatus | Unset = UNSET,
    limit: int | Unset = 200,
    offset: int | Unset = 0,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
]:
    """What the catalog covers by platform, country and root category.

     Use it first, to learn what this server has: retailers, countries and root categories, with numbers
    of products and the time of the newest observation. quality_status serving means enough and fresh;
    thin or stale cells are answered too, with less behind them. A retailer with one serving cell may be
    asked for by name in that country. linking is null where the catalog was built without likely links,
    its precision where too few pairs were there to measure it. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        platform (str | Unset):
        category_root (str | Unset):
        quality_status (QualityStatus | Unset): State of a coverage cell.
        limit (int | Unset):  Default: 200.
        offset (int | Unset):  Default: 0.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | CoverageAnswer | InternalError | InvalidParamsError | MethodNotAllowedError | NotAcceptableError | RateLimitedError | UnavailableError | UriTooLongError]
    """

    kwargs = _get_kwargs(
        country=country,
        platform=platform,
        category_root=category_root,
        quality_status=quality_status,
        limit=limit,
        offset=offset,
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    country: Country | Unset = UNSET,
    platform: str | Unset = UNSET,
    category_root: str | Unset = UNSET,
    quality_status: QualityStatus | Unset = UNSET,
    limit: int | Unset = 200,
    offset: int | Unset = 0,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | CoverageAnswer
    | InternalError
    | InvalidParamsError
    | MethodNotAllowedError
    | NotAcceptableError
    | RateLimitedError
    | UnavailableError
    | UriTooLongError
    | None
):
    """What the catalog covers by platform, country and root category.

     Use it first, to learn what this server has: retailers, countries and root categories, with numbers
    of products and the time of the newest observation. quality_status serving means enough and fresh;
    thin or stale cells are answered too, with less behind them. A retailer with one serving cell may be
    asked for by name in that country. linking is null where the catalog was built without likely links,
    its precision where too few pairs were there to measure it. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        platform (str | Unset):
        category_root (str | Unset):
        quality_status (QualityStatus | Unset): State of a coverage cell.
        limit (int | Unset):  Default: 200.
        offset (int | Unset):  Default: 0.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | CoverageAnswer | InternalError | InvalidParamsError | MethodNotAllowedError | NotAcceptableError | RateLimitedError | UnavailableError | UriTooLongError
    """

    return (
        await asyncio_detailed(
            client=client,
            country=country,
            platform=platform,
            category_root=category_root,
            quality_status=quality_status,
            limit=limit,
            offset=offset,
            if_none_match=if_none_match,
            x_request_id=x_request_id,
        )
    ).parsed
