import datetime
from http import HTTPStatus
from typing import Any, cast

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.answer_expired_problem import AnswerExpiredProblem
from ...models.country import Country
from ...models.get_price_history_change_window_days import (
    GetPriceHistoryChangeWindowDays,
)
from ...models.get_price_history_win import (
    GetPriceHistoryWin,
)
from ...models.internal_problem import InternalProblem
from ...models.invalid_params_problem import InvalidParamsProblem
from ...models.method_not_allowed_problem import MethodNotAllowedProblem
from ...models.no_results_problem import NoResultsProblem
from ...models.not_acceptable_problem import NotAcceptableProblem
from ...models.payment_in_progress_problem import PaymentInProgressProblem
from ...models.payment_required_problem import PaymentRequiredProblem
from ...models.price_history_answer import PriceHistoryAnswer
from ...models.rate_limited_problem import RateLimitedProblem
from ...models.retailer_not_serving_eligible_problem import (
    RetailerNotServingEligibleProblem,
)
from ...models.time_window import TimeWindow
from ...models.unavailable_problem import UnavailableProblem
from ...models.uri_too_long_problem import UriTooLongProblem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    time_window: TimeWindow | Unset = UNSET,
    from_: datetime.date | datetime.datetime | Unset = UNSET,
    to: datetime.date | datetime.datetime | Unset = UNSET,
    lookback_days: int | Unset = UNSET,
    win: GetPriceHistoryWin | Unset = 7,
    change_window_days: GetPriceHistoryChangeWindowDays | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    params: dict[str, Any] = {}

    params["q"] = q

    params["product_uid"] = product_uid

    params["entity_uid"] = entity_uid

    params["exact_query"] = exact_query

    params["min_quality"] = min_quality

    json_country: str | Unset = UNSET
    if not isinstance(country, Unset):
        json_country = country

    params["country"] = json_country

    params["retailer"] = retailer

    json_time_window: str | Unset = UNSET
    if not isinstance(time_window, Unset):
        json_time_window = time_window

    params["time_window"] = json_time_window

    json_from_: str | Unset
    if isinstance(from_, Unset):
        json_from_ = UNSET
    elif isinstance(from_, datetime.date):
        json_from_ = from_.isoformat()
    else:
        json_from_ = from_.isoformat()

    params["from"] = json_from_

    json_to: str | Unset
    if isinstance(to, Unset):
        json_to = UNSET
    elif isinstance(to, datetime.date):
        json_to = to.isoformat()
    else:
        json_to = to.isoformat()

    params["to"] = json_to

    params["lookback_days"] = lookback_days

    json_win: int | Unset = UNSET
    if not isinstance(win, Unset):
        json_win = win

    params["win"] = json_win

    json_change_window_days: int | Unset = UNSET
    if not isinstance(change_window_days, Unset):
        json_change_window_days = change_window_days

    params["change_window_days"] = json_change_window_days

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/shopper/price-history",
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
    | PriceHistoryAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    if response.status_code == 200:
        response_200 = PriceHistoryAnswer.from_dict(response.json())

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
    | PriceHistoryAnswer
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
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    time_window: TimeWindow | Unset = UNSET,
    from_: datetime.date | datetime.datetime | Unset = UNSET,
    to: datetime.date | datetime.datetime | Unset = UNSET,
    lookback_days: int | Unset = UNSET,
    win: GetPriceHistoryWin | Unset = 7,
    change_window_days: GetPriceHistoryChangeWindowDays | Unset = UNSET,
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
    | PriceHistoryAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """What a product cost, day by day.

     Use it to learn what a product cost in a window, whether its price is rising, and whether now is a
    good time to buy. Ask as in best-price; with the same words it resolves to the same product.
    observations are the days of the listing shown, series the lowest price of each day over all its
    retailers. Days without an observation are left out and not filled in. insufficient_history says
    that fewer than 5 days stand behind trend and is_good_deal, which then say nothing. period figures
    are null where the listing was not seen in the window, change_pct where the window does not reach
    back far enough. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        time_window (TimeWindow | Unset): A named window.
        from_ (datetime.date | datetime.datetime | Unset):
        to (datetime.date | datetime.datetime | Unset):
        lookback_days (int | Unset):
        win (GetPriceHistoryWin | Unset):  Default: 7.
        change_window_days (GetPriceHistoryChangeWindowDays | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceHistoryAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        exact_query=exact_query,
        min_quality=min_quality,
        country=country,
        retailer=retailer,
        time_window=time_window,
        from_=from_,
        to=to,
        lookback_days=lookback_days,
        win=win,
        change_window_days=change_window_days,
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
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    time_window: TimeWindow | Unset = UNSET,
    from_: datetime.date | datetime.datetime | Unset = UNSET,
    to: datetime.date | datetime.datetime | Unset = UNSET,
    lookback_days: int | Unset = UNSET,
    win: GetPriceHistoryWin | Unset = 7,
    change_window_days: GetPriceHistoryChangeWindowDays | Unset = UNSET,
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
    | PriceHistoryAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """What a product cost, day by day.

     Use it to learn what a product cost in a window, whether its price is rising, and whether now is a
    good time to buy. Ask as in best-price; with the same words it resolves to the same product.
    observations are the days of the listing shown, series the lowest price of each day over all its
    retailers. Days without an observation are left out and not filled in. insufficient_history says
    that fewer than 5 days stand behind trend and is_good_deal, which then say nothing. period figures
    are null where the listing was not seen in the window, change_pct where the window does not reach
    back far enough. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        time_window (TimeWindow | Unset): A named window.
        from_ (datetime.date | datetime.datetime | Unset):
        to (datetime.date | datetime.datetime | Unset):
        lookback_days (int | Unset):
        win (GetPriceHistoryWin | Unset):  Default: 7.
        change_window_days (GetPriceHistoryChangeWindowDays | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceHistoryAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return sync_detailed(
        client=client,
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        exact_query=exact_query,
        min_quality=min_quality,
        country=country,
        retailer=retailer,
        time_window=time_window,
        from_=from_,
        to=to,
        lookback_days=lookback_days,
        win=win,
        change_window_days=change_window_days,
        x_request_id=x_request_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    q: str | Unset = UNSET,
    product_uid: str | Unset = UNSET,
    entity_uid: str | Unset = UNSET,
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    time_window: TimeWindow | Unset = UNSET,
    from_: datetime.date | datetime.datetime | Unset = UNSET,
    to: datetime.date | datetime.datetime | Unset = UNSET,
    lookback_days: int | Unset = UNSET,
    win: GetPriceHistoryWin | Unset = 7,
    change_window_days: GetPriceHistoryChangeWindowDays | Unset = UNSET,
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
    | PriceHistoryAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
]:
    """What a product cost, day by day.

     Use it to learn what a product cost in a window, whether its price is rising, and whether now is a
    good time to buy. Ask as in best-price; with the same words it resolves to the same product.
    observations are the days of the listing shown, series the lowest price of each day over all its
    retailers. Days without an observation are left out and not filled in. insufficient_history says
    that fewer than 5 days stand behind trend and is_good_deal, which then say nothing. period figures
    are null where the listing was not seen in the window, change_pct where the window does not reach
    back far enough. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        time_window (TimeWindow | Unset): A named window.
        from_ (datetime.date | datetime.datetime | Unset):
        to (datetime.date | datetime.datetime | Unset):
        lookback_days (int | Unset):
        win (GetPriceHistoryWin | Unset):  Default: 7.
        change_window_days (GetPriceHistoryChangeWindowDays | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceHistoryAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem]
    """

    kwargs = _get_kwargs(
        q=q,
        product_uid=product_uid,
        entity_uid=entity_uid,
        exact_query=exact_query,
        min_quality=min_quality,
        country=country,
        retailer=retailer,
        time_window=time_window,
        from_=from_,
        to=to,
        lookback_days=lookback_days,
        win=win,
        change_window_days=change_window_days,
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
    exact_query: bool | Unset = False,
    min_quality: float | Unset = 0.36,
    country: Country | Unset = UNSET,
    retailer: str | Unset = UNSET,
    time_window: TimeWindow | Unset = UNSET,
    from_: datetime.date | datetime.datetime | Unset = UNSET,
    to: datetime.date | datetime.datetime | Unset = UNSET,
    lookback_days: int | Unset = UNSET,
    win: GetPriceHistoryWin | Unset = 7,
    change_window_days: GetPriceHistoryChangeWindowDays | Unset = UNSET,
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
    | PriceHistoryAnswer
    | RateLimitedProblem
    | UnavailableProblem
    | UriTooLongProblem
    | None
):
    """What a product cost, day by day.

     Use it to learn what a product cost in a window, whether its price is rising, and whether now is a
    good time to buy. Ask as in best-price; with the same words it resolves to the same product.
    observations are the days of the listing shown, series the lowest price of each day over all its
    retailers. Days without an observation are left out and not filled in. insufficient_history says
    that fewer than 5 days stand behind trend and is_good_deal, which then say nothing. period figures
    are null where the listing was not seen in the window, change_pct where the window does not reach
    back far enough. Costs 0.01 USD.

    Args:
        q (str | Unset):
        product_uid (str | Unset):
        entity_uid (str | Unset):
        exact_query (bool | Unset):  Default: False.
        min_quality (float | Unset):  Default: 0.36.
        country (Country | Unset): A market of the catalog.
        retailer (str | Unset):
        time_window (TimeWindow | Unset): A named window.
        from_ (datetime.date | datetime.datetime | Unset):
        to (datetime.date | datetime.datetime | Unset):
        lookback_days (int | Unset):
        win (GetPriceHistoryWin | Unset):  Default: 7.
        change_window_days (GetPriceHistoryChangeWindowDays | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerExpiredProblem | Any | InternalProblem | InvalidParamsProblem | MethodNotAllowedProblem | NoResultsProblem | RetailerNotServingEligibleProblem | NotAcceptableProblem | PaymentInProgressProblem | PaymentRequiredProblem | PriceHistoryAnswer | RateLimitedProblem | UnavailableProblem | UriTooLongProblem
    """

    return (
        await asyncio_detailed(
            client=client,
            q=q,
            product_uid=product_uid,
            entity_uid=entity_uid,
            exact_query=exact_query,
            min_quality=min_quality,
            country=country,
            retailer=retailer,
            time_window=time_window,
            from_=from_,
            to=to,
            lookback_days=lookback_days,
            win=win,
            change_window_days=change_window_days,
            x_request_id=x_request_id,
        )
    ).parsed
