// What pictures draw, out of the rows of answers. Null is never drawn as 0: it is a gap, or it is left out.

const DAY_MS = 86_400_000;

/** Rows with a value, and an empty one wherever more time than usual went by: lines break there. */
export function withGaps(rows, value) {
  const points = rows
    .filter((row) => row.date && value(row) != null)
    .map((row) => ({ date: new Date(row.date), value: value(row), row }));
  const steps = points.slice(1).map((point, at) => point.date - points[at].date);
  const usual = [...steps].sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? DAY_MS;
  return points.flatMap((point, at) => {
    const isGap = at > 0 && steps[at - 1] > 2.5 * usual;
    const between = isGap ? [{ date: new Date(+points[at - 1].date + steps[at - 1] / 2), value: NaN, row: null }] : [];
    return [...between, point];
  });
}

/** Falls of a price that the answer names: where they end, and how deep they are. */
export function drops(answer) {
  const named = answer.series_summary?.drops ?? [];
  return named.map((drop) => ({ ...drop, date: new Date(drop.date) }));
}

/** Change of the average price from one period to the next, in percent: what a naive look sees. */
export function naiveChanges(rows) {
  return rows.slice(1).flatMap((row, at) => {
    const [before, now] = [rows[at].avg_price, row.avg_price];
    return before == null || now == null || before === 0 ? [] : [{ date: new Date(row.date), value: (now / before - 1) * 100 }];
  });
}

/** Tiers as bars of a logarithmic axis: the open ends are drawn to the 5th and the 95th percentile. */
export function tierBars(answer) {
  const { p05, p95 } = answer.price_range ?? {};
  const bars = answer.tiers.map(({ name, from, to, products }) => ({
    name,
    products,
    from: from > 0 ? from : Math.min(p05 ?? to, to ?? p05),
    to: to ?? Math.max(p95 ?? from, from),
  }));
  return bars.filter(({ from, to }) => from > 0 && to > from);
}

/** A price with its currency. */
export function money(currency, value) {
  return new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(value);
}

/** Percent with a sign. */
export function signed(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)} %`;
}
