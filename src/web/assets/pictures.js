// Pictures of answers, drawn by Observable Plot out of the JSON that the page holds. The table behind each says the same.
import { drops, money, naiveChanges, signed, tierBars, withGaps } from "./figures.js";

const ROWS_MAX = 24;
const NARROW = 560;

/** Draws the pictures of a page, and again when there is more or less room. */
export async function pictures(page) {
  const figures = [...page.querySelectorAll("figure[data-picture]")];
  if (figures.length === 0) return;
  const Plot = await import("./vendor/plot.js");
  for (const figure of figures) {
    const data = figure.closest(".outcome")?.querySelector("script.answer");
    const picture = PICTURES[figure.dataset.picture];
    if (!data || !picture) continue;
    const answer = JSON.parse(data.textContent);
    let width = 0;
    new ResizeObserver(() => {
      const room = Math.round(figure.clientWidth);
      if (room === 0 || room === width) return;
      width = room;
      draw(Plot, figure, picture(Plot, answer, answer[figure.dataset.rows] ?? [], room));
    }).observe(figure);
  }
}

function draw(Plot, figure, options) {
  figure.querySelectorAll(".plots, .empty").forEach((old) => old.remove());
  if (!options) {
    figure.dataset.empty = "";
    const sentence = document.createElement("p");
    sentence.className = "empty";
    sentence.textContent = "There is nothing to draw: the figures are not known.";
    figure.append(sentence);
    return;
  }
  const plots = document.createElement("div");
  plots.className = "plots";
  for (const one of [options].flat()) {
    const svg = Plot.plot({ className: "plot", width: figure.clientWidth, marginRight: 24, ...one });
    // Its rules stand in style.css: the page runs no style that comes with an element.
    svg.querySelector("style")?.remove();
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", one.ariaLabel);
    plots.append(svg);
  }
  const twin = figure.parentElement.querySelector(`table[data-rows="${figure.dataset.rows}"]`);
  if (twin) {
    twin.id ||= `twin-${figure.dataset.rows}`;
    figure.setAttribute("aria-describedby", twin.id);
  }
  figure.append(plots);
}

const INK = "var(--ink)";
const ACCENT = "var(--accent)";
const SECOND = "var(--second)";
const SOFT = "var(--soft)";

/** Time below, a few ticks on a narrow screen. */
const time = (width) => ({ type: "utc", label: null, ticks: width < NARROW ? 4 : 8, insetLeft: 6, insetRight: 6 });

function priceHistory(Plot, answer, rows, width) {
  const points = withGaps(rows, (row) => row.price);
  if (points.length === 0) return null;
  const cash = (value) => money(answer.currency, value);
  const falls = drops(answer);
  const priceOn = new Map(points.filter(({ row }) => row).map(({ date, value }) => [+date, value]));
  const fallen = falls.filter(({ date }) => priceOn.has(+date)).map((drop) => ({ ...drop, value: priceOn.get(+drop.date) }));
  return {
    ariaLabel: `${answer.product_name}: ${points.length} days, lowest ${cash(answer.period_low)}, highest ${cash(answer.period_high)}`,
    height: width < NARROW ? 240 : 300,
    marginLeft: 56,
    x: time(width),
    y: { label: `price, ${answer.currency}`, grid: true, tickFormat: cash, nice: true, ticks: 5 },
    marks: [
      Plot.lineY(points, { x: "date", y: "value", curve: "step-after", stroke: ACCENT, strokeWidth: 2 }),
      Plot.dot(points.filter(({ row }) => row), { x: "date", y: "value", r: points.length > 60 ? 1.5 : 2.5, fill: ACCENT }),
      Plot.dot(fallen, { x: "date", y: "value", symbol: "triangle", rotate: 180, r: 7, fill: SECOND, ariaLabel: "drop" }),
      Plot.text(fallen, { x: "date", y: "value", text: (drop) => signed(-drop.pct), dy: 16, fill: INK, clip: false }),
      Plot.tip(points.filter(({ row }) => row), Plot.pointerX({ x: "date", y: "value", title: ({ date, value }) => `${day(date)}\n${cash(value)}` })),
    ],
  };
}

function inflation(Plot, answer, rows, width) {
  const matched = rows.filter(({ change_pct, method }) => change_pct != null && method === "matched");
  const changes = matched.map((row) => ({ date: new Date(row.date), value: row.change_pct }));
  const naive = naiveChanges(rows);
  const [low, high] = answer.lfl_ci95_pct ?? [];
  const sums = [
    { name: "like for like", value: answer.lfl_change_pct, low, high },
    { name: "all products", value: answer.overall_change_pct },
    { name: "naive average", value: answer.naive_overall_change_pct },
  ].filter(({ value }) => value != null);
  const from = answer.lfl_periods?.join(" to ") ?? "the window";
  const summary = sums.length > 0 && {
    ariaLabel: `Change over ${from}: ${sums.map(({ name, value }) => `${name} ${signed(value)}`).join(", ")}`,
    height: 40 + 28 * sums.length,
    marginLeft: 96,
    marginRight: 72,
    x: { label: `change over ${from}, %`, grid: true, nice: true, ticks: width < NARROW ? 4 : 8 },
    y: { label: null, domain: sums.map(({ name }) => name) },
    marks: [
      Plot.ruleX([0], { stroke: SOFT }),
      Plot.link(sums.filter((sum) => sum.low != null), { x1: "low", x2: "high", y1: "name", y2: "name", stroke: ACCENT, strokeWidth: 5, strokeOpacity: 0.35, ariaLabel: "interval" }),
      Plot.dot(sums, { x: "value", y: "name", r: 5, fill: ({ name }) => (name === "like for like" ? ACCENT : "none"), stroke: ACCENT }),
      Plot.text(sums, { x: ({ value, high }) => Math.max(value, high ?? value), y: "name", text: ({ value }) => signed(value), dx: 10, textAnchor: "start", fill: INK }),
    ],
  };
  const series = changes.length + naive.length > 0 && {
    ariaLabel: `Change from period to period: ${changes.length} matched, ${naive.length} naive`,
    height: width < NARROW ? 220 : 260,
    marginLeft: 48,
    x: time(width),
    y: { label: "change to the period before, %", grid: true, nice: true, ticks: 5 },
    marks: [
      Plot.ruleY([0], { stroke: SOFT }),
      Plot.lineY(naive, { x: "date", y: "value", stroke: SECOND, strokeDasharray: "4 3" }),
      Plot.dot(naive, { x: "date", y: "value", symbol: "square", r: 2.5, stroke: SECOND }),
      Plot.lineY(changes, { x: "date", y: "value", stroke: ACCENT, strokeWidth: 2 }),
      Plot.dot(changes, { x: "date", y: "value", r: 2.5, fill: ACCENT }),
      ...ends(Plot, [
        { name: "matched", points: changes },
        { name: "naive", points: naive },
      ]),
    ],
    marginRight: 64,
  };
  const both = [summary, series].filter(Boolean);
  return both.length > 0 ? both : null;
}

/** The name of each line at its end, apart from each other. */
function ends(Plot, lines) {
  const last = lines.filter(({ points }) => points.length > 0).map(({ name, points }) => ({ name, ...points.at(-1) }));
  last.sort((one, other) => other.value - one.value);
  return last.map((end, at) =>
    Plot.text([end], { x: "date", y: "value", text: "name", dx: 8, dy: last.length > 1 ? (at === 0 ? -7 : 7) : 0, textAnchor: "start", fill: INK }),
  );
}

function priceBands(Plot, answer, rows, width) {
  const bars = tierBars(answer);
  if (bars.length === 0) return null;
  const cash = (value) => money(answer.currency, value);
  const band = answer.band?.example;
  return {
    ariaLabel: `${answer.products} products in ${bars.length} tiers, median ${cash(answer.price_range.median)}`,
    height: width < NARROW ? 260 : 320,
    marginLeft: 48,
    marginTop: 36,
    x: { type: "log", label: `price, ${answer.currency} (logarithmic)`, tickFormat: (value) => cash(value).replace(/\.00$/, ""), ticks: width < NARROW ? 3 : 6 },
    y: { label: "products", grid: true, nice: true, ticks: 5 },
    marks: [
      band && Plot.rectX([band], { x1: "lower", x2: "upper", fill: SECOND, fillOpacity: 0.12, ariaLabel: "similarly priced" }),
      Plot.rectY(bars, { x1: "from", x2: "to", y: "products", fill: ACCENT, fillOpacity: 0.8, inset: 1 }),
      Plot.text(bars, { x: ({ from, to }) => Math.sqrt(from * to), y: "products", text: "name", dy: -8, fill: INK }),
      Plot.ruleX([answer.price_range.median], { stroke: INK, strokeDasharray: "3 3", ariaLabel: "median" }),
      Plot.text([answer.price_range.median], { x: (value) => value, frameAnchor: "top", dy: -20, text: (value) => `median ${cash(value)}`, fill: INK }),
      Plot.ruleY([0], { stroke: INK }),
    ].filter(Boolean),
  };
}

function dispersion(Plot, answer, rows, width) {
  const bars = rows.filter(({ count }) => count != null);
  if (bars.length === 0) return null;
  const cash = (value) => money(answer.currency, value);
  return {
    ariaLabel: `${answer.products} products, median ${cash(answer.median)}`,
    height: width < NARROW ? 240 : 300,
    marginLeft: 48,
    marginTop: 36,
    x: { label: `price, ${answer.currency}`, tickFormat: cash, ticks: width < NARROW ? 4 : 8 },
    y: { label: "products", grid: true, nice: true, ticks: 5 },
    marks: [
      Plot.rectY(bars, { x1: "from", x2: "to", y: "count", fill: ACCENT, fillOpacity: 0.8, inset: 1 }),
      Plot.ruleX([answer.median], { stroke: INK, strokeDasharray: "3 3", ariaLabel: "median" }),
      Plot.text([answer.median], { x: (value) => value, frameAnchor: "top", dy: -20, text: (value) => `median ${cash(value)}`, fill: INK }),
      Plot.ruleY([0], { stroke: INK }),
    ],
  };
}

function retailerIndex(Plot, answer, rows, width) {
  const known = rows.filter(({ insufficient_sample }) => !insufficient_sample);
  const lines = [
    { name: "all products", value: ({ price_index }) => price_index, stroke: ACCENT, symbol: "circle" },
    { name: "matched", value: ({ matched_index }) => matched_index, stroke: SECOND, symbol: "square" },
  ].map((line) => ({ ...line, points: withGaps(known, line.value) }));
  const drawn = lines.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return null;
  return {
    ariaLabel: `${answer.retailer} against the category, 1 is the category's price: ${drawn.map(({ name, points }) => `${name} ${points.at(-1).value} at the end`).join(", ")}`,
    height: width < NARROW ? 240 : 300,
    marginLeft: 48,
    marginRight: 88,
    x: time(width),
    y: { label: "1 = the category's price", grid: true, nice: true, ticks: 5 },
    marks: [
      Plot.ruleY([1], { stroke: INK, strokeDasharray: "3 3" }),
      ...drawn.flatMap(({ points, stroke, symbol }) => [
        Plot.lineY(points, { x: "date", y: "value", stroke, strokeWidth: 2 }),
        Plot.dot(points.filter(({ row }) => row), { x: "date", y: "value", stroke, symbol, r: 2 }),
      ]),
      ...ends(Plot, drawn),
    ],
  };
}

function shareOfShelf(Plot, answer, rows, width) {
  const shown = rows.filter(({ share_pct }) => share_pct != null).slice(0, ROWS_MAX);
  if (shown.length === 0) return null;
  return bars(Plot, shown, { width, name: "brand", value: "share_pct", label: "share of products, %", said: `${answer.total_products} products; ${shown[0].brand} has ${shown[0].share_pct} %` });
}

function promo(Plot, answer, rows, width) {
  const name = "retailer" in (rows[0] ?? {}) ? "retailer" : "brand";
  const often = rows.filter(({ promo_frequency_pct }) => promo_frequency_pct != null).slice(0, ROWS_MAX);
  const deep = rows.filter(({ avg_promo_depth_pct }) => avg_promo_depth_pct != null).slice(0, ROWS_MAX);
  const pictures = [
    often.length > 0 && bars(Plot, often, { width, name, value: "promo_frequency_pct", label: "observations on promotion, %", said: `Promotions of ${often.length}` }),
    deep.length > 0 && {
      ariaLabel: `Depth of promotions of ${deep.length}: average and deepest`,
      height: 48 + 24 * deep.length,
      marginLeft: room(deep, name, width),
      x: { label: "depth of promotions, %: average, deepest", grid: true, zero: true, nice: true, ticks: width < NARROW ? 4 : 8 },
      y: { label: null, domain: deep.map((row) => row[name]), tickFormat: short(width) },
      marks: [
        Plot.link(deep.filter(({ max_promo_depth_pct }) => max_promo_depth_pct != null), { x1: "avg_promo_depth_pct", x2: "max_promo_depth_pct", y1: name, y2: name, stroke: SOFT, strokeWidth: 2 }),
        Plot.dot(deep, { x: "avg_promo_depth_pct", y: name, r: 5, fill: ACCENT }),
        Plot.tickX(deep.filter(({ max_promo_depth_pct }) => max_promo_depth_pct != null), { x: "max_promo_depth_pct", y: name, stroke: ACCENT, inset: 6 }),
      ],
    },
  ].filter(Boolean);
  return pictures.length > 0 ? pictures : null;
}

function landscape(Plot, answer, rows, width) {
  const priced = rows.filter(({ price }) => price != null);
  if (priced.length === 0) return null;
  const cash = (value) => money(answer.currency, value);
  const retailers = [...new Set(priced.map(({ retailer }) => retailer))];
  return {
    ariaLabel: `${priced.length} products of ${retailers.length} retailers`,
    height: 56 + 26 * retailers.length,
    marginLeft: room(priced, "retailer", width),
    x: { label: `price, ${answer.currency}`, grid: true, nice: true, tickFormat: cash, ticks: width < NARROW ? 4 : 8 },
    y: { label: null, domain: retailers, tickFormat: short(width) },
    marks: [
      Plot.dot(priced, { x: "price", y: "retailer", r: 5, stroke: ACCENT, fill: ACCENT, fillOpacity: 0.3 }),
      Plot.tip(priced, Plot.pointer({ x: "price", y: "retailer", title: ({ product_name, price }) => `${product_name.slice(0, 60)}\n${cash(price)}` })),
    ],
  };
}

function bars(Plot, rows, { width, name, value, label, said }) {
  return {
    ariaLabel: said,
    height: 48 + 24 * rows.length,
    marginLeft: room(rows, name, width),
    marginRight: 56,
    x: { label, grid: true, nice: true, zero: true, ticks: width < NARROW ? 4 : 8 },
    y: { label: null, domain: rows.map((row) => row[name]), tickFormat: short(width) },
    marks: [
      Plot.barX(rows, { x: value, y: name, fill: ACCENT, fillOpacity: 0.85, inset: 2 }),
      Plot.text(rows, { x: value, y: name, text: (row) => row[value].toFixed(2), dx: 6, textAnchor: "start", fill: INK }),
      Plot.ruleX([0], { stroke: INK }),
    ],
  };
}

/** Letters of a name beside an axis. */
const letters = (width) => (width < NARROW ? 14 : 28);
const short = (width) => (name) => (name.length > letters(width) ? `${name.slice(0, letters(width) - 1)}…` : name);
const room = (rows, name, width) => 16 + 6.6 * Math.min(letters(width), Math.max(...rows.map((row) => row[name].length)));

const day = (date) => date.toISOString().slice(0, 10);

const PICTURES = {
  "price-history": priceHistory,
  inflation,
  "price-bands": priceBands,
  dispersion,
  "retailer-index": retailerIndex,
  "share-of-shelf": shareOfShelf,
  promo,
  landscape,
};
