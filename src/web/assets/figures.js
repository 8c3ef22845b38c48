// Decisions of pictures before anything is drawn: gaps of a series, ends of an axis, which labels have room, how figures are
// written. Nothing here knows the page.

const DAY = 86_400_000;

/** What stands where there is no figure. Null is never 0. */
export const UNKNOWN = "not known";

/** A UTC day. */
export const day = (text) => new Date(`${text.slice(0, 10)}T00:00:00Z`);

/** An amount with its cents and the sign of its currency. */
export function money(amount, currency) {
  if (amount === null || amount === undefined) return UNKNOWN;
  const format = { style: "currency", currency, currencyDisplay: "narrowSymbol" };
  return new Intl.NumberFormat("en", format).format(amount);
}

/** An amount at a tick of an axis that goes this high: with cents where they tell ticks apart. */
export function tickMoney(amount, currency, highest) {
  return highest < 100 ? money(amount, currency) : money(amount, currency).replace(/\.00$/, "");
}

/** A percentage as the answer has it; changes carry their sign. */
export function percent(value, { signed = false } = {}) {
  if (value === null || value === undefined) return UNKNOWN;
  const sign = value < 0 ? "−" : signed && value > 0 ? "+" : "";
  return `${sign}${new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(Math.abs(value))} %`;
}

/** A name that fits: its beginning, where it is too long. */
export function short(name, letters) {
  const all = [...name];
  return all.length <= letters ? name : `${all.slice(0, letters - 1).join("").trimEnd()}…`;
}

/**
 * The points of a series with `x` and the number of their stretch. A new stretch begins where more time is missing than
 * usually lies between two points, so that no line leads over days that nobody saw.
 */
export function stretches(points) {
  const dated = points.map((point) => ({ ...point, x: day(point.date) }));
  const steps = dated.slice(1).map((point, at) => (point.x - dated[at].x) / DAY);
  const usual = [...steps].sort((one, next) => one - next)[Math.floor(steps.length / 2)] ?? 1;
  let stretch = 0;
  return dated.map((point, at) => {
    if (at > 0 && steps[at - 1] > usual * 1.5) stretch += 1;
    return { ...point, stretch };
  });
}

/** Both ends of an axis that is no bar's: the values with some room, and never a price below zero. */
export function ends(values, { room = 0.12, least = -Infinity } = {}) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = (high - low) * room || Math.abs(high) * room || 1;
  return [Math.max(least, low - pad), high + pad];
}

/** Of these places on an axis those that are so many pixels from the one before; the first always. */
export function apart(values, place, pixels) {
  const kept = [];
  for (const value of values) {
    if (kept.length === 0 || Math.abs(place(value) - place(kept.at(-1))) >= pixels) kept.push(value);
  }
  return kept;
}

/**
 * Which lane each place of a row takes, so that marks this wide do not hide each other: 0 in the middle, then one above, one
 * below and so on; where all are taken, the middle.
 */
export function lanes(places, wide, most) {
  const order = Array.from({ length: most }, (_, at) => (at % 2 ? 1 : -1) * Math.ceil(at / 2)).map((lane) => lane || 0);
  const taken = new Map();
  const found = new Array(places.length);
  for (const at of places.map((_, index) => index).sort((one, next) => places[one] - places[next])) {
    const isFree = (lane) => !taken.has(lane) || places[at] - taken.get(lane) >= wide;
    found[at] = order.find(isFree) ?? 0;
    taken.set(found[at], places[at]);
  }
  return found;
}

/** Round prices between two ends of a logarithmic axis: 1, 2 and 5 of each power of ten, or powers alone where it is long. */
export function roundPrices(low, high) {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const digits = to - from > 4 ? [1] : [1, 2, 5];
  const all = [];
  for (let power = from; power <= to; power += 1) all.push(...digits.map((digit) => digit * 10 ** power));
  return all.filter((price) => price >= low * 0.999 && price <= high * 1.001);
}

/** Where a price lies between two ends of a logarithmic axis, in pixels. */
export const onLog = ([low, high], width) => (price) => (Math.log(price / low) / Math.log(high / low)) * width;

/**
 * The tiers of a shelf as pieces of a logarithmic axis. The cheapest begins at nothing and the dearest ends nowhere; both are
 * drawn to the axis's ends, which are beyond 5 % and 95 % of the prices.
 */
export function pieces(tiers, range) {
  const edges = tiers.flatMap(({ from, to }) => [from, to]).filter((edge) => edge > 0);
  const low = Math.min(range.p05, ...edges) / 1.5;
  const high = Math.max(range.p95, ...edges) * 1.5;
  const drawn = tiers.map((tier) => ({
    ...tier,
    x1: tier.from > 0 ? tier.from : low,
    x2: tier.to ?? high,
  }));
  return { low, high, drawn };
}

/** The first so many rows, and in words what was left out. */
export function first(rows, most, what) {
  const left = rows.length - most;
  const note = left > 0 ? `The first ${most} of ${rows.length} ${what}; the table has all.` : null;
  return { rows: rows.slice(0, most), note };
}
