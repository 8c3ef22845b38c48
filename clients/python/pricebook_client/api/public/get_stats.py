from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.country import Country
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.not_acceptable_problem import NotAcceptableProblem
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.stats_answer import StatsAnswer
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    country: Country | Unset = UNSET,
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

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/public/stats",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = StatsAnswer.from_dict(response.json())

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

    if response.status_code == 406:
        response_406 = NotAcceptableProblem.from_dict(response.json())

        return response_406

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
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
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
    country: Country | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
    | UnavailableProblem
    | UriTooLongProblem
]:
    """How much the catalog holds, by country.

     Use it to see how large and how fresh the catalog is before anything is asked of it: listings,
    products across retailers, retailers, brands, categories, and the days that were observed. All
    listings count, also those without a recent price, unless a name says priced; what two retailers
    sell is counted by priced ones. as_of is the now of every window. gpc_codes is null when the
    snapshot has no classification, the days of a country without observations are. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | RateLimitedProblem | StatsAnswer | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        country=country,
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
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """How much the catalog holds, by country.

     Use it to see how large and how fresh the catalog is before anything is asked of it: listings,
    products across retailers, retailers, brands, categories, and the days that were observed. All
    listings count, also those without a recent price, unless a name says priced; what two retailers
    sell is counted by priced ones. as_of is the now of every window. gpc_codes is null when the
    snapshot has no classification, the days of a country without observations are. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | RateLimitedProblem | StatsAnswer | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        country=country,
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    country: Country | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
    | UnavailableProblem
    | UriTooLongProblem
]:
    """How much the catalog holds, by country.

     Use it to see how large and how fresh the catalog is before anything is asked of it: listings,
    products across retailers, retailers, brands, categories, and the days that were observed. All
    listings count, also those without a recent price, unless a name says priced; what two retailers
    sell is counted by priced ones. as_of is the now of every window. gpc_codes is null when the
    snapshot has no classification, the days of a country without observations are. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | RateLimitedProblem | StatsAnswer | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        country=country,
        if_none_match=if_none_match,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    country: Country | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    Any
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NotAcceptableProblem
    | RateLimitedProblem
    | StatsAnswer
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """How much the catalog holds, by country.

     Use it to see how large and how fresh the catalog is before anything is asked of it: listings,
    products across retailers, retailers, brands, categories, and the days that were observed. All
    listings count, also those without a recent price, unless a name says priced; what two retailers
    sell is counted by priced ones. as_of is the now of every window. gpc_codes is null when the
    snapshot has no classification, the days of a country without observations are. Free.

    Args:
        country (Country | Unset): A market of the catalog.
        if_none_match (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NotAcceptableProblem | RateLimitedProblem | StatsAnswer | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            country=country,
            if_none_match=if_none_match,
            x_request_id=x_request_id,
        )
    ).parsed
