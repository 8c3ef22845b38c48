from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.aggregate_by import AggregateBy
from ...models.answer_expired_problem import AnswerExpiredProblem
from ...models.category_concentration_answer import CategoryConcentrationAnswer
from ...models.country import Country
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.no_results_problem import NoResultsProblem
from ...models.not_acceptable_problem import NotAcceptableProblem
from ...models.payment_in_progress_problem import PaymentInProgressProblem
from ...models.payment_required_problem import PaymentRequiredProblem
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.retailer_not_serving_eligible_problem import (
    RetailerNotServingEligibleProblem,
)
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    category: str | Unset = UNSET,
    department: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    aggregate_by: AggregateBy | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    params["category"] = category

    params["department"] = department

    json_country: str | Unset = UNSET
    if not isinstance(country, Unset):
        json_country = country

    params["country"] = json_country

    params["retailer"] = retailer

    json_aggregate_by: str | Unset = UNSET
    if not isinstance(aggregate_by, Unset):
        json_aggregate_by = aggregate_by

    params["aggregate_by"] = json_aggregate_by

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/analyst/category-concentration",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> (
    AnswerExpiredProblem
    | Any
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = CategoryConcentrationAnswer.from_dict(response.json())

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
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
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
    category: str | Unset = UNSET,
    department: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    aggregate_by: AggregateBy | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """How few brands or retailers hold a category, by their products.

     Use it to see whether a category belongs to a few brands or retailers: the Herfindahl-Hirschman
    index, the share of the four largest, and what the US merger guidelines call that. Counted are
    products on offer and not sales, so it tells breadth of assortment and no market share. Products
    without a brand are not counted by brand; counted_coverage says how many are. The figures are null
    below 5 groups, and notes says so. Give category, department or both. Costs 0.02 USD.

    Args:
        category (str | Unset):
        department (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        aggregate_by (AggregateBy | Unset): What a row stands for.
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | CategoryConcentrationAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        category=category,
        department=department,
        country=country,
        retailer=retailer,
        aggregate_by=aggregate_by,
        x_request_id=x_request_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    category: str | Unset = UNSET,
    department: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    aggregate_by: AggregateBy | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """How few brands or retailers hold a category, by their products.

     Use it to see whether a category belongs to a few brands or retailers: the Herfindahl-Hirschman
    index, the share of the four largest, and what the US merger guidelines call that. Counted are
    products on offer and not sales, so it tells breadth of assortment and no market share. Products
    without a brand are not counted by brand; counted_coverage says how many are. The figures are null
    below 5 groups, and notes says so. Give category, department or both. Costs 0.02 USD.

    Args:
        category (str | Unset):
        department (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        aggregate_by (AggregateBy | Unset): What a row stands for.
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | CategoryConcentrationAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        category=category,
        department=department,
        country=country,
        retailer=retailer,
        aggregate_by=aggregate_by,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    category: str | Unset = UNSET,
    department: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    aggregate_by: AggregateBy | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> Response[
    AnswerExpiredProblem
    | Any
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """How few brands or retailers hold a category, by their products.

     Use it to see whether a category belongs to a few brands or retailers: the Herfindahl-Hirschman
    index, the share of the four largest, and what the US merger guidelines call that. Counted are
    products on offer and not sales, so it tells breadth of assortment and no market share. Products
    without a brand are not counted by brand; counted_coverage says how many are. The figures are null
    below 5 groups, and notes says so. Give category, department or both. Costs 0.02 USD.

    Args:
        category (str | Unset):
        department (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        aggregate_by (AggregateBy | Unset): What a row stands for.
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | CategoryConcentrationAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        category=category,
        department=department,
        country=country,
        retailer=retailer,
        aggregate_by=aggregate_by,
        x_request_id=x_request_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    category: str | Unset = UNSET,
    department: str | Unset = UNSET,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    aggregate_by: AggregateBy | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> (
    AnswerExpiredProblem
    | Any
    | CategoryConcentrationAnswer
    | InternalProblem
    | InvalidParamsProblem
    | MethodNotAllowedProblem
    | NoResultsProblem
    | RetailerNotServingEligibleProblem
    | NotAcceptableProblem
    | PaymentInProgressProblem
    | PaymentRequiredProblem
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """How few brands or retailers hold a category, by their products.

     Use it to see whether a category belongs to a few brands or retailers: the Herfindahl-Hirschman
    index, the share of the four largest, and what the US merger guidelines call that. Counted are
    products on offer and not sales, so it tells breadth of assortment and no market share. Products
    without a brand are not counted by brand; counted_coverage says how many are. The figures are null
    below 5 groups, and notes says so. Give category, department or both. Costs 0.02 USD.

    Args:
        category (str | Unset):
        department (str | Unset):
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        aggregate_by (AggregateBy | Unset): What a row stands for.
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | CategoryConcentrationAnswer | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            category=category,
            department=department,
            country=country,
            retailer=retailer,
            aggregate_by=aggregate_by,
            x_request_id=x_request_id,
        )
    ).parsed
