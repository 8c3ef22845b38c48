"""Index numbers over a panel of log prices, a row a product and a column a period, NaN where there is none: what one
would write over a frame with numpy. All pairs of periods have to share products enough.
"""

import numpy

PAIR_MIN = 10
GROUPS = 20
STUDENT_95 = 2.093


def links(x: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Products that each two periods share, and the mean of their differences."""
    held = ~numpy.isnan(x)
    filled, held = numpy.where(held, x, 0.0), held.astype(float)
    shared, sums = held.T @ held, held.T @ filled
    return shared, (sums - sums.T) / shared


def geks(x: numpy.ndarray) -> numpy.ndarray:
    """Logs of the index, 0 in the first period: with every pair usable the mean over all ways around."""
    return links(x)[1].mean(axis=0) - links(x)[1].mean(axis=0)[0]


def tpd(x: numpy.ndarray) -> numpy.ndarray:
    """Least squares of products and periods; the products are put in, which leaves the periods."""
    held = ~numpy.isnan(x)
    filled, held = numpy.where(held, x, 0.0), held.astype(float)
    times = held.sum(axis=1)
    matrix = numpy.diag(held.sum(axis=0)) - held.T @ (held / times[:, None])
    right = (filled - held * (filled.sum(axis=1) / times)[:, None]).sum(axis=0)
    return numpy.append(0.0, numpy.linalg.solve(matrix[1:, 1:], right[1:]))


def geks_with_interval(x: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """GEKS and half of its interval: products of two periods or more, dealt into groups, one left out at a time."""
    if links(x)[0].min() < PAIR_MIN:
        raise ValueError("periods that share too few products")
    repeated = (~numpy.isnan(x)).sum(axis=1) >= 2
    group = numpy.where(repeated, (numpy.cumsum(repeated) - 1) % GROUPS, GROUPS)
    left = numpy.array([geks(x[group != one]) for one in range(GROUPS)])
    half = STUDENT_95 * numpy.sqrt((GROUPS - 1) / GROUPS * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    half[0] = numpy.nan
    return geks(x), half


def last_of_each(x: numpy.ndarray) -> dict[str, float]:
    """Each method's log in the last period."""
    link = links(x)[1]
    chained = sum(link[at, at + 1] for at in range(x.shape[1] - 1))
    return {"chained": chained, "fixed": link[0, -1], "geks": geks(x)[-1], "tpd": tpd(x)[-1]}
