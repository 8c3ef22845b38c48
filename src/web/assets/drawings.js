// How each answer is drawn: from the JSON of a route to marks. A drawing is its plots, a key that tells marks apart without
// colour, and notes in words; `null` where the answer has nothing that could be drawn.

import { UNKNOWN, apart, day, ends, first, lanes, money, onLog, percent, pieces, roundPrices, short, stretches, tickMoney } from "./figures.js";

const FIRST = "var(--first)";
const SECOND = "var(--second)";
const QUIET = "var(--quiet)";
const LINE = "var(--line)";
const FILL = "var(--fill)";

/** Rows that are legible in one picture. */
const ROWS_MAX = 20;
/** Lanes of a row, on which marks that would hide each other lie side by side, and how far apart they are. */
const LANES_MAX = 5;
const LANE = 0.16;
/** Drops that are named; more would hide the line. */
const LABELS_MAX = 10;
/** Days from which each is a small mark. */
const DENSE = 45;
/** Letters of a name on an axis. */
const letters = (width) => (width < 520 ? 14 : 26);
/** Room for names on the left of rows. */
const namesRoom = (names, width) => 14 + 6.6 * Math.min(letters(width), Math.max(...names.map((name) => [...name].length)));

/** Text that stays legible on what lies under it. */
const HALO = { fill: "currentColor", stroke: "var(--paper)", strokeWidth: 4 };

const known = (value) => value !== null && value !== undefined;

/** The drawings by their word in `data-picture`. */
export const DRAWINGS = {
  "price-history": priceHistory,
  inflation,
  "price-bands": priceBands,
  "retailer-index": retailerIndex,
  dispersion,
  "share-of-shelf": shareOfShelf,
  promo,
  landscape,
  "price-index": priceIndex,
  availability,
  overlap,
};

/** A plot in the look of the site. Its own style element would be refused by the page's policy; style.css has the rules. */
function plotted(Plot, width, options) {
  const svg = Plot.plot({ width, className: "plot", marginTop: 28, marginRight: 16, insetTop: 6, ...options });
  svg.querySelector("style")?.remove();
  // A group of marks has no role, so it may have no label; the picture has one.
  for (const group of svg.querySelectorAll("g[aria-label]")) {
    group.dataset.mark = group.getAttribute("aria-label");
    group.removeAttribute("aria-label");
  }
  return svg;
}

const timeAxis = (width) => ({ type: "utc", label: null, ticks: Math.max(3, Math.floor(width / 110)), insetLeft: 6, insetRight: 6 });

/** A price axis whose every tick has its label: of a logarithmic one Plot leaves some out. */
const priceAxis = (Plot, ticks, label, currency) =>
  Plot.axisX(ticks, { text: (price) => tickMoney(price, currency, ticks.at(-1)), label, labelAnchor: "center", labelArrow: "none" });

function priceHistory(Plot, answer, width) {
  const { currency } = answer;
  const series = stretches(answer.series ?? []);
  if (series.length === 0) return null;
  const listing = stretches(answer.observations ?? []);
  const isOther = listing.length > 0 && JSON.stringify(answer.observations) !== JSON.stringify(answer.series);
  const drops = (answer.series_summary?.drops ?? []).map((drop) => ({ ...drop, x: day(drop.date) }));
  const prices = [...series, ...(isOther ? listing : [])].map(({ price }) => price);
  const domain = ends(prices, { least: 0 });
  const [from, to] = [series[0].x, series.at(-1).x];
  const along = (point) => ((point - from) / (to - from || 1)) * (width - 80);
  const named = drops.length > LABELS_MAX ? [] : apart(drops.map(({ x }) => x), along, 44).map(Number);
  const said = (who) => (point) => `${who}\n${point.date}: ${money(point.price, currency)}`;
  const cheapest = answer.scope === "entity" ? "Lowest price of the product" : "Price";
  const line = (points, who, options) => [
    Plot.line(points, { x: "x", y: "price", z: "stretch", curve: "step-after", strokeWidth: 2, ...options }),
    Plot.dot(points, { x: "x", y: "price", r: points.length > DENSE ? 1.5 : 2.5, fill: options.stroke, title: said(who), tip: true }),
  ];
  const plot = plotted(Plot, width, {
    height: 300,
    marginLeft: 62,
    x: timeAxis(width),
    y: { domain, grid: true, label: `Price, ${currency}`, ticks: 5, tickFormat: (price) => tickMoney(price, currency, domain[1]) },
    marks: [
      ...(isOther ? line(listing, answer.retailer, { stroke: SECOND, strokeDasharray: "5 3" }) : []),
      ...line(series, cheapest, { stroke: FIRST }),
      Plot.dot(drops, { x: "x", y: "to_price", symbol: "triangle", rotate: 180, r: 5, dy: -9, fill: SECOND }),
      Plot.text(drops.filter(({ x }) => named.includes(Number(x))), {
        x: "x", y: "to_price", text: ({ pct }) => percent(-Math.round(pct)), dy: 14, fontWeight: 600, ...HALO,
      }),
    ],
  });
  const hasGaps = series.at(-1).stretch > 0 || (isOther && listing.at(-1).stretch > 0);
  return {
    plots: [plot],
    label: `${answer.product_name}: ${series.length} days from ${series[0].date} to ${series.at(-1).date}, ${money(Math.min(...series.map(({ price }) => price)), currency)} to ${money(Math.max(...series.map(({ price }) => price)), currency)}, ${drops.length} drops.`,
    key: [
      ["line", FIRST, answer.scope === "entity" ? "lowest price of the product on the day" : "price on the day"],
      ...(isOther ? [["dashed", SECOND, `at ${answer.retailer}`]] : []),
      ...(drops.length > 0 ? [["drop", SECOND, "a drop of 5 % or more"]] : []),
    ],
    notes: [
      hasGaps ? "Where a line breaks, no price was seen." : null,
      domain[0] > 0 ? "The price axis does not begin at zero." : null,
    ],
  };
}

function inflation(Plot, answer, width) {
  const [low, high] = answer.lfl_ci95_pct ?? [];
  const changes = [
    { name: "Matched products", value: answer.lfl_change_pct, low, high, colour: FIRST, symbol: "circle" },
    { name: "Median of them", value: answer.lfl_median_pct, colour: FIRST, symbol: "diamond" },
    { name: "Naive, by the average price", value: answer.naive_overall_change_pct, colour: SECOND, symbol: "square" },
  ].filter(({ value }) => known(value));
  const points = (answer.time_series ?? []).filter(({ change_pct }) => known(change_pct)).map((point) => ({ ...point, x: day(point.date) }));
  if (changes.length === 0 && points.length === 0) return null;
  const periods = answer.lfl_periods ?? [answer.time_series[0].period, answer.time_series.at(-1).period];
  const over = `from ${periods[0]} to ${periods[1]}`;
  const plots = [];
  if (changes.length > 0) {
    const interval = (change) => (known(change.low) ? ` (${percent(change.low, { signed: true })} to ${percent(change.high, { signed: true })})` : "");
    const domain = ends([0, ...changes.flatMap(({ value, low, high }) => [value, low, high].filter(known))], { room: 0.15 });
    plots.push(plotted(Plot, width, {
      height: 56 + 48 * changes.length,
      marginTop: 8,
      marginLeft: 16,
      marginBottom: 40,
      x: { domain, label: `Change ${over}, %`, labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 90)), grid: true },
      y: { domain: changes.map(({ name }) => name), axis: null },
      marks: [
        Plot.text(changes, { x: () => 0, y: "name", dy: 9, text: () => "│", fontSize: 22, fill: "currentColor" }),
        Plot.link(changes.filter((change) => known(change.low)), { x1: "low", x2: "high", y: "name", stroke: FIRST, strokeWidth: 8, strokeOpacity: 0.35, strokeLinecap: "round", dy: 9 }),
        Plot.dot(changes, { x: "value", y: "name", dy: 9, r: 6, symbol: "symbol", fill: "colour", title: (change) => `${change.name}: ${percent(change.value, { signed: true })}${interval(change)}`, tip: true }),
        Plot.text(changes, {
          y: "name", frameAnchor: "left", dy: -12, text: (change) => `${change.name}: ${percent(change.value, { signed: true })}${interval(change)}`,
          ...HALO,
        }),
      ],
    }));
  }
  if (points.length > 1) {
    const span = points.at(-1).x - points[0].x;
    const ticks = apart(points.map(({ x }) => x), (date) => ((date - points[0].x) / span) * (width - 140), 82);
    const isMatched = ({ method }) => method === "matched";
    plots.push(plotted(Plot, width, {
      height: 210,
      marginLeft: 50,
      x: { type: "utc", label: null, insetLeft: 36, insetRight: 36, ticks, tickFormat: (date) => points.find(({ x }) => Number(x) === Number(date)).period },
      y: { domain: ends([0, ...points.map(({ change_pct }) => change_pct)]), grid: true, ticks: 5, label: "Change on the period before, %" },
      marks: [
        Plot.ruleY([0], { stroke: "currentColor" }),
        Plot.ruleX(points, { x: "x", y1: 0, y2: "change_pct", stroke: FIRST, strokeWidth: 2 }),
        Plot.dot(points, {
          x: "x", y: "change_pct", r: 4.5, stroke: FIRST, fill: (point) => (isMatched(point) ? FIRST : "var(--paper)"),
          title: (point) => `${point.period}: ${percent(point.change_pct, { signed: true })}\n${point.method}${known(point.matched_basket_size) ? `, ${point.matched_basket_size} products in both` : ""}`, tip: true,
        }),
      ],
    }));
  }
  const interval = known(low) ? `, 95 % interval ${percent(low, { signed: true })} to ${percent(high, { signed: true })}` : "";
  return {
    plots,
    label: `Change of prices in ${answer.category} ${over}: ${percent(answer.lfl_change_pct, { signed: true })} matched${interval}; ${percent(answer.naive_overall_change_pct, { signed: true })} naive.`,
    key: [
      ...(known(answer.lfl_change_pct) ? [["dot", FIRST, `the same products in both periods (${answer.lfl_matched})`]] : []),
      ...(known(low) ? [["band", FIRST, "95 % interval"]] : []),
      ...(known(answer.lfl_median_pct) ? [["diamond", FIRST, "their median"]] : []),
      ...(known(answer.naive_overall_change_pct) ? [["square", SECOND, "average price, which moves with the assortment"]] : []),
      ...(points.some(({ method }) => method !== "matched") ? [["ring", FIRST, "a period without matched products"]] : []),
    ],
    notes: [answer.lfl_note],
  };
}

function priceBands(Plot, answer, width) {
  const { currency, tiers, price_range: range, band } = answer;
  if (!tiers?.length || !range) return null;
  const { low, high, drawn } = pieces(tiers, range);
  const branded = drawn.filter(({ brand_products }) => known(brand_products));
  const hasBrand = branded.length > 0;
  // Tiers are fifths, so their size says little: it is written, and the height belongs to the brand.
  const top = hasBrand ? Math.max(1, ...branded.map(({ brand_products }) => brand_products)) * 1.6 : 1;
  const left = hasBrand ? 50 : 20;
  const place = onLog([low, high], width - left - 16);
  const ticks = apart(drawn.slice(1).map(({ x1 }) => x1), place, 54);
  const bounds = ({ from, to }) => [from > 0 ? `above ${money(from, currency)}` : "", to === null ? "" : `to ${money(to, currency)}`].filter(Boolean).join(", ") || "every price";
  const middle = ({ x1, x2 }) => Math.sqrt(x1 * x2);
  const wide = drawn.filter(({ name, x1, x2 }) => place(x2) - place(x1) > name.length * 7 + 8);
  const similar = band?.example;
  const plot = plotted(Plot, width, {
    height: hasBrand ? 300 : 190,
    marginLeft: left,
    marginBottom: 44,
    marginTop: 46,
    x: { type: "log", domain: [low, high], axis: null },
    y: { domain: [0, top], label: "Products of the brand", axis: hasBrand ? "left" : null, ticks: 5 },
    marks: [
      priceAxis(Plot, ticks, `Price, ${currency}, logarithmic`, currency),
      Plot.rect(drawn, {
        x1: "x1", x2: "x2", y1: 0, y2: top, fill: (tier) => (drawn.indexOf(tier) % 2 ? "var(--band-b)" : "var(--band-a)"), stroke: FIRST,
        title: (tier) => `${tier.name}: ${bounds(tier)}\n${tier.products} products${known(tier.brand_products) ? `, ${tier.brand_products} of the brand` : ""}`, tip: true,
      }),
      Plot.rect(branded, { x1: "x1", x2: "x2", y1: 0, y2: "brand_products", fill: SECOND, insetLeft: 5, insetRight: 5 }),
      Plot.ruleX([range.median], { stroke: "currentColor", strokeWidth: 2 }),
      Plot.ruleX([range.p05, range.p95], { stroke: "currentColor", strokeDasharray: "3 4" }),
      Plot.text(wide, { x: middle, y: top, text: "name", dy: 13, fontWeight: 600, ...HALO }),
      Plot.text(wide, { x: middle, y: top, text: ({ products }) => `${products}`, dy: 28, ...HALO }),
      ...(similar ? [
        Plot.link([similar], { x1: "lower", x2: "upper", y1: top, y2: top, dy: -9, stroke: SECOND, strokeWidth: 4 }),
        Plot.text([similar], { x: "price", y: top, dy: -20, text: () => "priced like the median", ...HALO }),
      ] : []),
      Plot.ruleY([0]),
    ],
  });
  return {
    plots: [plot],
    label: `${answer.products} products of ${answer.node} in ${tiers.length} tiers: ${tiers.map((tier) => `${tier.name} ${bounds(tier)}`).join("; ")}.`,
    key: [
      ["box", FIRST, "a tier, and its number of products"],
      ...(hasBrand ? [["bar", SECOND, "of the brand"]] : []),
      ["upright", "currentColor", `median, ${money(range.median, currency)}`],
      ["uprights", "currentColor", `5 % and 95 % of prices, ${money(range.p05, currency)} and ${money(range.p95, currency)}`],
      ...(similar ? [["thick", SECOND, `priced like the median: ${money(similar.lower, currency)} to ${money(similar.upper, currency)}`]] : []),
    ],
    notes: [
      wide.length < drawn.length ? `The tiers from left to right: ${drawn.map(({ name, products }) => `${name} ${products}`).join(", ")}.` : null,
      "The first tier begins at zero and the last has no upper bound: both are drawn to the end of the axis.",
    ],
  };
}

function retailerIndex(Plot, answer, width) {
  const points = (answer.time_series ?? []).map((point) => ({ ...point, x: day(point.date) }));
  const lines = [
    { field: "matched_index", name: "same products elsewhere = 100", colour: FIRST, symbol: "circle", swatch: "dot", dash: null },
    { field: "price_index", name: "whole assortment, category average = 100", colour: SECOND, symbol: "diamond", swatch: "diamond", dash: "5 3" },
  ].map((line) => {
    const has = points.filter((point) => known(point[line.field]));
    return { ...line, points: stretches(has.map((point) => ({ ...point, value: point[line.field] * 100 }))) };
  }).filter(({ points: has }) => has.length > 0);
  if (lines.length === 0) return null;
  const values = lines.flatMap(({ points: has }) => has.map(({ value }) => value));
  const plot = plotted(Plot, width, {
    height: 290,
    marginLeft: 50,
    x: timeAxis(width),
    y: { domain: ends([100, ...values], { least: 0 }), grid: true, label: "Index, 100 = parity", ticks: 5 },
    marks: [
      Plot.ruleY([100], { stroke: "currentColor" }),
      ...lines.flatMap(({ points: has, name, colour, symbol, dash }) => [
        Plot.line(has, { x: "x", y: "value", z: "stretch", stroke: colour, strokeDasharray: dash, strokeWidth: 1.5 }),
        Plot.dot(has, {
          x: "x", y: "value", r: has.length > DENSE ? 2.5 : 4, symbol, stroke: colour, fill: (point) => (point.insufficient_sample ? "var(--paper)" : colour),
          title: (point) => `${point.date}: ${(Math.round(point.value * 100) / 100).toString()}\n${name}\n${point.product_count} products`, tip: true,
        }),
      ]),
    ],
  });
  const isThin = points.some(({ insufficient_sample }) => insufficient_sample);
  return {
    plots: [plot],
    label: `Prices of ${answer.retailer} in ${answer.category}, ${points.length} days from ${points[0].date} to ${points.at(-1).date}, against 100.`,
    key: [
      ...lines.map(({ swatch, colour, name }) => [swatch, colour, name]),
      ...(isThin ? [["ring", QUIET, `fewer than ${answer.sample_threshold} products`]] : []),
    ],
    notes: [
      lines.some(({ field }) => field === "matched_index") ? null : "Too few products are also sold elsewhere, so there is no index of the same products.",
      "The index of the whole assortment is not a price level: a retailer with larger packs has a higher index.",
    ],
  };
}

function dispersion(Plot, answer, width) {
  const { currency, histogram, percentiles } = answer;
  if (!histogram?.length) return null;
  const marked = [["median", answer.median], ["mean", answer.mean]].filter(([, value]) => known(value));
  const plot = plotted(Plot, width, {
    height: 280,
    marginLeft: 50,
    marginBottom: 44,
    x: { label: `Price, ${currency}`, labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 90)), tickFormat: (price) => tickMoney(price, currency, histogram.at(-1).to) },
    y: { label: "Products", grid: true, ticks: 5 },
    marks: [
      Plot.rect(histogram, {
        x1: "from", x2: "to", y1: 0, y2: "count", fill: FILL, stroke: FIRST,
        title: ({ from, to, count }) => `${money(from, currency)} to ${money(to, currency)}\n${count} products`, tip: true,
      }),
      ...marked.map(([name, value]) => Plot.ruleX([value], { stroke: "currentColor", strokeWidth: 2, strokeDasharray: name === "mean" ? "3 3" : null })),
      Plot.ruleY([0]),
    ],
  });
  return {
    plots: [plot],
    label: `${answer.products} products by price: half cost ${money(answer.median, currency)} or less, 5 % ${money(percentiles?.p05, currency)} or less, 95 % ${money(percentiles?.p95, currency)} or less.`,
    key: [["box", FIRST, "products of a range of prices"], ...marked.map(([name, value]) => [name === "mean" ? "dotted" : "upright", "currentColor", `${name} ${money(value, currency)}`])],
    notes: [],
  };
}

function shareOfShelf(Plot, answer, width) {
  const { rows, note } = first(answer.brands ?? [], ROWS_MAX, "brands");
  if (rows.length === 0) return null;
  const named = rows.map((row) => ({ ...row, name: row.brand ?? "no brand" }));
  const plot = plotted(Plot, width, {
    height: 60 + 25 * rows.length,
    marginLeft: namesRoom(named.map(({ name }) => name), width),
    marginRight: 58,
    marginTop: 8,
    marginBottom: 40,
    x: { domain: [0, Math.max(...rows.map(({ share_pct }) => share_pct))], label: `Share of ${answer.total_products} products, %`, labelAnchor: "center", labelArrow: "none", grid: true, ticks: Math.max(3, Math.floor(width / 110)) },
    y: { domain: named.map(({ name }) => name), label: null, tickSize: 0, tickFormat: (name) => short(name, letters(width)) },
    marks: [
      Plot.barX(named, { x: "share_pct", y: "name", fill: FIRST, insetTop: 3, insetBottom: 3, title: (row) => `${row.name}: ${percent(row.share_pct)}\n${row.product_count} products`, tip: true }),
      Plot.text(named, { x: "share_pct", y: "name", text: ({ share_pct }) => percent(share_pct), textAnchor: "start", dx: 5, fill: "currentColor" }),
      Plot.ruleX([0]),
    ],
  });
  return { plots: [plot], label: `Share of ${answer.total_products} products of ${answer.category} by brand: ${named.slice(0, 3).map(({ name, share_pct }) => `${name} ${percent(share_pct)}`).join(", ")}.`, key: [], notes: [note] };
}

function promo(Plot, answer, width) {
  const by = answer.retailers ? "retailer" : "brand";
  const { rows, note } = first(answer.retailers ?? answer.brands ?? [], ROWS_MAX, `${by}s`);
  if (rows.length === 0) return null;
  const named = rows.map((row) => ({ ...row, name: row[by] ?? `no ${by}` }));
  const deep = named.filter(({ avg_promo_depth_pct }) => known(avg_promo_depth_pct));
  const upper = -6;
  const plot = plotted(Plot, width, {
    height: 60 + 36 * rows.length,
    marginLeft: namesRoom(named.map(({ name }) => name), width),
    marginTop: 8,
    marginBottom: 40,
    x: { domain: [0, Math.max(10, ...named.flatMap((row) => [row.promo_frequency_pct, row.max_promo_depth_pct ?? 0]))], label: "Percent", labelAnchor: "center", labelArrow: "none", grid: true, nice: true },
    y: { domain: named.map(({ name }) => name), label: null, tickSize: 0, tickFormat: (name) => short(name, letters(width)) },
    marks: [
      Plot.barX(named, { x: "promo_frequency_pct", y: "name", fill: FIRST, insetTop: 18, insetBottom: 4 }),
      Plot.link(deep, { x1: "avg_promo_depth_pct", x2: "max_promo_depth_pct", y: "name", dy: upper, stroke: SECOND }),
      Plot.dot(deep, { x: "max_promo_depth_pct", y: "name", dy: upper, r: 4, symbol: "square", stroke: SECOND, fill: "var(--paper)" }),
      Plot.dot(named, {
        x: (row) => row.avg_promo_depth_pct ?? row.promo_frequency_pct, y: "name", r: 8, fill: "currentColor", fillOpacity: 0,
        title: (row) => `${row.name}\non promotion: ${percent(row.promo_frequency_pct)} of ${row.total_observations}\nmean discount: ${percent(row.avg_promo_depth_pct)}\ndeepest: ${percent(row.max_promo_depth_pct)}`, tip: true,
      }),
      Plot.dot(deep, { x: "avg_promo_depth_pct", y: "name", dy: upper, r: 4.5, fill: SECOND }),
      Plot.ruleX([0]),
    ],
  });
  const { from, to } = answer.window;
  return {
    plots: [plot],
    label: `Promotions by ${by} in ${answer.category}, ${from} to ${to}: ${named.slice(0, 3).map((row) => `${row.name} ${percent(row.promo_frequency_pct)} on promotion, mean discount ${percent(row.avg_promo_depth_pct)}`).join("; ")}.`,
    key: [
      ["bar", FIRST, "observations on promotion, %"],
      ...(deep.length > 0 ? [["dot", SECOND, "mean discount, %"], ["box", SECOND, "deepest discount, %"]] : []),
    ],
    notes: [deep.length < named.length ? "The discount is not known where it is not drawn." : null, note],
  };
}

function landscape(Plot, answer, width) {
  const { currency } = answer;
  const items = (answer.items ?? []).filter(({ price }) => known(price));
  if (items.length === 0) return null;
  const prices = items.flatMap(({ price, list_price }) => [price, list_price].filter(known));
  const isLog = Math.max(...prices) > 8 * Math.min(...prices) && Math.min(...prices) > 0;
  const [low, high] = isLog ? [Math.min(...prices) / 1.2, Math.max(...prices) * 1.2] : ends(prices, { least: 0 });
  const retailers = [...new Set(items.map(({ retailer }) => retailer))];
  const left = namesRoom(retailers, width);
  const ticks = isLog ? apart(roundPrices(low, high), onLog([low, high], width - left - 40), 48) : undefined;
  const place = isLog ? onLog([low, high], width - left - 24) : (price) => ((price - low) / (high - low)) * (width - left - 24);
  const placed = retailers.flatMap((retailer, row) => {
    const own = items.filter((item) => item.retailer === retailer);
    const beside = lanes(own.map(({ price }) => place(price)), 11, LANES_MAX);
    return own.map((item, at) => ({ ...item, y: row + beside[at] * LANE }));
  });
  const reduced = placed.filter(({ price, list_price }) => known(list_price) && list_price > price);
  const dots = (isPromo) => placed.filter(({ promo_flag }) => Boolean(promo_flag) === isPromo);
  const title = (item) => `${short(item.product_name, 60)}\n${item.retailer}: ${money(item.price, currency)}${known(item.list_price) ? `, list price ${money(item.list_price, currency)}` : ""}${item.promo_flag ? ", on promotion" : ""}`;
  const plot = plotted(Plot, width, {
    height: 64 + 66 * retailers.length,
    marginLeft: left,
    marginTop: 8,
    marginRight: 24,
    marginBottom: 40,
    x: { type: isLog ? "log" : "linear", domain: [low, high], axis: null },
    y: { domain: [retailers.length - 0.5, -0.5], ticks: retailers.map((_, row) => row), label: null, tickSize: 0, tickFormat: (row) => short(retailers[row], letters(width)) },
    marks: [
      isLog
        ? priceAxis(Plot, ticks, `Price, ${currency}, logarithmic`, currency)
        : Plot.axisX({ ticks: Math.max(3, Math.floor((width - left) / 90)), tickFormat: (price) => tickMoney(price, currency, high), label: `Price, ${currency}`, labelAnchor: "center", labelArrow: "none" }),
      isLog ? Plot.gridX(ticks) : Plot.gridX(),
      Plot.ruleY(retailers.map((_, row) => row), { stroke: LINE }),
      Plot.link(reduced, { x1: "price", x2: "list_price", y: "y", stroke: SECOND, strokeDasharray: "2 2" }),
      Plot.ruleX(reduced, { x: "list_price", y1: ({ y }) => y - LANE / 2, y2: ({ y }) => y + LANE / 2, stroke: SECOND, strokeWidth: 2 }),
      Plot.dot(dots(false), { x: "price", y: "y", r: 5, stroke: FIRST, fill: FILL, title, tip: true }),
      Plot.dot(dots(true), { x: "price", y: "y", r: 5, symbol: "diamond", stroke: SECOND, fill: SECOND, fillOpacity: 0.6, title, tip: true }),
    ],
  });
  return {
    plots: [plot],
    label: `${items.length} products of ${answer.category} at ${retailers.length} retailers, ${money(Math.min(...items.map(({ price }) => price)), currency)} to ${money(Math.max(...items.map(({ price }) => price)), currency)}.`,
    key: [
      ["ring", FIRST, "a product"],
      ...(dots(true).length > 0 ? [["diamond", SECOND, "on promotion"]] : []),
      ...(reduced.length > 0 ? [["upright", SECOND, "its list price"]] : []),
    ],
    notes: answer.has_more ? ["The products of this page; the next page has more."] : [],
  };
}

/** The methods of a price index, as people say them. */
const METHODS = {
  jevons_chained: "Jevons, chained",
  jevons_fixed: "Jevons against the base",
  geks_jevons: "GEKS-Jevons",
  tpd: "Time-product dummy",
};

function priceIndex(Plot, answer, width) {
  const known100 = (point) => ({ ...point, x: day(point.date), value: point.index * 100, low: point.ci95?.[0] * 100, high: point.ci95?.[1] * 100 });
  const points = stretches((answer.time_series ?? []).filter(({ index }) => known(index))).map(known100);
  if (points.length === 0) return null;
  const ranged = points.filter(({ ci95 }) => known(ci95));
  const index = (value) => (Math.round(value * 100) / 100).toString();
  const interval = ({ ci95, low, high }) => (known(ci95) ? ` (${index(low)} to ${index(high)})` : "");
  const said = (point) => `${point.period}: ${index(point.value)}${interval(point)}\n${point.product_count} products`;
  const series = plotted(Plot, width, {
    height: 290,
    marginLeft: 50,
    x: timeAxis(width),
    y: { domain: ends([100, ...points.flatMap(({ value, low, high }) => [value, low, high].filter(Number.isFinite))]), grid: true, label: `Index, ${answer.base_period} = 100`, ticks: 5 },
    marks: [
      Plot.ruleY([100], { stroke: "currentColor" }),
      Plot.areaY(ranged, { x: "x", y1: "low", y2: "high", z: "stretch", fill: FIRST, fillOpacity: 0.2 }),
      Plot.line(points, { x: "x", y: "value", z: "stretch", stroke: FIRST, strokeWidth: 2 }),
      Plot.dot(points, { x: "x", y: "value", r: points.length > DENSE ? 1.5 : 3.5, fill: FIRST, title: said, tip: true }),
    ],
  });
  const methods = Object.entries(METHODS)
    .map(([method, name]) => ({ method, name, value: answer.methods?.[method] }))
    .filter(({ value }) => known(value))
    .map((row) => ({ ...row, value: row.value * 100, isAsked: row.method === answer.method }));
  const last = answer.index_ci95;
  const compared = plotted(Plot, width, {
    height: 56 + 30 * methods.length,
    marginTop: 8,
    marginLeft: namesRoom(methods.map(({ name }) => name), width),
    marginBottom: 40,
    x: { domain: ends([100, ...methods.map(({ value }) => value), ...(last ?? []).map((end) => end * 100)], { room: 0.15 }), label: `Index of ${answer.last_period}, ${answer.base_period} = 100`, labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 110)), grid: true },
    y: { domain: methods.map(({ name }) => name), label: null, tickSize: 0, tickFormat: (name) => short(name, letters(width)) },
    marks: [
      Plot.ruleX([100], { stroke: "currentColor" }),
      Plot.link(known(last) ? methods.filter(({ isAsked }) => isAsked) : [], { x1: () => last[0] * 100, x2: () => last[1] * 100, y: "name", stroke: FIRST, strokeWidth: 8, strokeOpacity: 0.35, strokeLinecap: "round" }),
      Plot.dot(methods, { x: "value", y: "name", r: 5, symbol: ({ isAsked }) => (isAsked ? "circle" : "square"), fill: ({ isAsked }) => (isAsked ? FIRST : SECOND), title: ({ name, value }) => `${name}: ${index(value)}`, tip: true }),
    ],
  });
  const said95 = known(last) ? `, 95 % interval ${index(last[0] * 100)} to ${index(last[1] * 100)}` : "";
  return {
    plots: methods.length > 0 ? [series, compared] : [series],
    label: `Price index of ${answer.category} by ${METHODS[answer.method]}, ${answer.base_period} to ${answer.last_period}: ${index(points.at(-1).value)}${said95}, where ${answer.base_period} is 100.`,
    key: [
      ["dot", FIRST, METHODS[answer.method]],
      ...(ranged.length > 0 ? [["band", FIRST, "95 % interval"]] : []),
      ...(methods.some(({ isAsked }) => !isAsked) ? [["square", SECOND, "the other methods"]] : []),
    ],
    notes: [
      answer.index_note,
      points.at(-1).stretch > 0 ? "Where the line breaks, too few products join the periods." : null,
      known(answer.chain_drift_pct) ? `Chaining drifts by ${percent(answer.chain_drift_pct, { signed: true })} against GEKS-Jevons.` : null,
    ],
  };
}

function availability(Plot, answer, width) {
  const by = answer.aggregate_by;
  const { rows, note } = first(answer[`${by}s`] ?? [], ROWS_MAX, `${by}s`);
  const stated = rows.filter(({ in_stock_rate_pct }) => known(in_stock_rate_pct));
  if (stated.length === 0) return null;
  const names = rows.map((row) => row[by]);
  const plot = plotted(Plot, width, {
    height: 60 + 28 * rows.length,
    marginLeft: namesRoom(names, width),
    marginRight: 64,
    marginTop: 8,
    marginBottom: 40,
    x: { domain: [0, 100], label: "In stock, % of the products whose stock is known", labelAnchor: "center", labelArrow: "none", grid: true, ticks: Math.max(3, Math.floor(width / 110)) },
    y: { domain: names, label: null, tickSize: 0, tickFormat: (name) => short(name, letters(width)) },
    marks: [
      Plot.barX(stated, {
        x: "in_stock_rate_pct", y: by, fill: FIRST, insetTop: 4, insetBottom: 4,
        title: (row) => `${row[by]}: ${percent(row.in_stock_rate_pct)} of ${row.known_products}\n${row.ongoing_streaks} out of stock now, half of all times last ${row.median_streak_days ?? UNKNOWN} days or less`, tip: true,
      }),
      Plot.text(stated, { x: "in_stock_rate_pct", y: by, text: ({ in_stock_rate_pct }) => percent(in_stock_rate_pct), textAnchor: "start", dx: 5, fill: "currentColor" }),
      Plot.ruleX([0]),
    ],
  });
  return {
    plots: [plot],
    label: `Products in stock by ${by} in ${answer.category}: ${stated.slice(0, 3).map((row) => `${row[by]} ${percent(row.in_stock_rate_pct)}`).join(", ")}; ${percent(answer.total?.in_stock_rate_pct)} of all.`,
    key: [],
    notes: [stated.length < rows.length ? "Where no bar is drawn, the stock of fewer than five products is known." : null, note],
  };
}

function overlap(Plot, answer, width) {
  const { rows, note } = first(answer.overlap ?? [], ROWS_MAX, "retailers");
  if (rows.length === 0) return null;
  const own = answer.barcoded_entities;
  const names = rows.map(({ retailer }) => retailer);
  const title = (row) => `${row.retailer}: ${row.shared} products that ${answer.retailer} sells too${known(row.covered_pct) ? `, ${percent(row.covered_pct)} of its own` : ""}\n${row.entities} products in all`;
  const plot = plotted(Plot, width, {
    height: 60 + 28 * rows.length,
    marginLeft: namesRoom(names, width),
    marginTop: 8,
    marginBottom: 40,
    x: { domain: [0, Math.max(own, ...rows.map(({ entities }) => entities), 1)], label: "Products with a barcode", labelAnchor: "center", labelArrow: "none", grid: true, ticks: Math.max(3, Math.floor(width / 110)) },
    y: { domain: names, label: null, tickSize: 0, tickFormat: (name) => short(name, letters(width)) },
    marks: [
      Plot.barX(rows, { x1: "shared", x2: "entities", y: "retailer", fill: FILL, stroke: FIRST, insetTop: 4, insetBottom: 4 }),
      Plot.barX(rows, { x: "shared", y: "retailer", fill: FIRST, insetTop: 4, insetBottom: 4, title, tip: true }),
      Plot.ruleX([own], { stroke: SECOND, strokeWidth: 2, strokeDasharray: "3 2" }),
      Plot.ruleX([0]),
    ],
  });
  return {
    plots: [plot],
    label: `Products that ${answer.retailer} shares with others in ${answer.category}: ${rows.slice(0, 3).map(({ retailer, shared }) => `${shared} products with ${retailer}`).join(", ")}, of ${own} products.`,
    key: [
      ["bar", FIRST, `sold by ${answer.retailer} too`],
      ["box", FIRST, "not sold by it"],
      ["dotted", SECOND, `products of ${answer.retailer}`],
    ],
    notes: [note],
  };
}
