// What pictures decide, against cases by hand.

import assert from "node:assert/strict";
import test from "node:test";
import { apart, day, ends, first, lanes, money, onLog, percent, pieces, roundPrices, short, stretches, tickMoney } from "../../../src/web/assets/figures.js";

const days = (...dates) => dates.map((date, at) => ({ date, price: at + 1 }));
const numbers = (points) => points.map(({ stretch }) => stretch);

test("a missing day of a daily series is a gap", () => {
  assert.deepEqual(numbers(stretches(days("2026-10-01", "2026-10-02", "2026-10-04", "2026-10-05"))), [0, 0, 1, 1]);
});

test("a weekly series has no gap between weeks, and one where a week is missing", () => {
  assert.deepEqual(numbers(stretches(days("2026-10-01", "2026-10-08", "2026-10-15", "2026-10-29"))), [0, 0, 0, 1]);
});

test("months are of several lengths", () => {
  assert.deepEqual(numbers(stretches(days("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"))), [0, 0, 0, 0]);
});

test("a series of one day or of none is one stretch or none", () => {
  assert.deepEqual(numbers(stretches(days("2026-10-01"))), [0]);
  assert.deepEqual(stretches([]), []);
});

test("days are days of UTC, and instants too", () => {
  assert.equal(day("2026-10-01").toISOString(), "2026-10-01T00:00:00.000Z");
  assert.equal(day("2026-10-01T23:59:59Z").getTime(), day("2026-10-01").getTime());
});

test("money has its cents and its sign, and null is not 0", () => {
  assert.equal(money(3.9, "CAD"), "$3.90");
  assert.equal(money(1234.5, "USD"), "$1,234.50");
  assert.equal(money(0, "USD"), "$0.00");
  assert.equal(money(null, "USD"), "not known");
});

test("ticks have cents on a low axis, and on a high one where they are not zero", () => {
  assert.deepEqual([5, 5.5].map((price) => tickMoney(price, "USD", 6)), ["$5.00", "$5.50"]);
  assert.deepEqual([500, 37.58].map((price) => tickMoney(price, "USD", 500)), ["$500", "$37.58"]);
});

test("percentages have at most the answer's two places, and changes their sign", () => {
  assert.equal(percent(23.06), "23.06 %");
  assert.equal(percent(-0.67, { signed: true }), "−0.67 %");
  assert.equal(percent(1.9, { signed: true }), "+1.9 %");
  assert.equal(percent(0, { signed: true }), "0 %");
  assert.equal(percent(undefined), "not known");
});

test("long names end early, letters stay whole", () => {
  assert.equal(short("Kingston", 8), "Kingston");
  assert.equal(short("Kingston Fury", 10), "Kingston…");
  assert.equal(short("👩🏽👩🏽👩🏽", 6).length <= 13, true);
});

test("an axis has room, of one value too, and no price is below zero", () => {
  assert.deepEqual(ends([10, 20], { room: 0.1 }), [9, 21]);
  assert.deepEqual(ends([10, 10], { room: 0.1 }), [9, 11]);
  assert.deepEqual(ends([0, 0]), [-1, 1]);
  assert.deepEqual(ends([0.1, 20], { room: 0.5, least: 0 })[0], 0);
});

test("labels that are too close are left out, the first never", () => {
  assert.deepEqual(apart([0, 10, 50, 60, 120], (place) => place, 50), [0, 50, 120]);
  assert.deepEqual(apart([], (place) => place, 50), []);
});

test("marks that would hide each other lie on lanes, the middle first", () => {
  assert.deepEqual(lanes([0, 100, 5, 3], 10, 3), [0, 0, -1, 1]);
  assert.deepEqual(lanes([0, 0, 0, 0], 10, 3), [0, 1, -1, 0]);
  assert.deepEqual(lanes([], 10, 3), []);
});

test("round prices lie between the ends, fewer on a long axis", () => {
  assert.deepEqual(roundPrices(3, 60), [5, 10, 20, 50]);
  assert.deepEqual(roundPrices(0.5, 2), [0.5, 1, 2]);
  assert.deepEqual(roundPrices(0.5, 200_000), [1, 10, 100, 1000, 10_000, 100_000]);
});

test("a doubling is as wide everywhere on a logarithmic axis", () => {
  const place = onLog([1, 16], 400);
  assert.deepEqual([1, 2, 4, 16].map((price) => Math.round(place(price))), [0, 100, 200, 400]);
});

test("open tiers are drawn to the ends of the axis", () => {
  const tiers = [{ name: "entry", from: 0, to: 10 }, { name: "mid", from: 10, to: 40 }, { name: "luxury", from: 40, to: null }];
  const { low, high, drawn } = pieces(tiers, { p05: 6, median: 20, p95: 90 });
  assert.deepEqual([low, high], [4, 135]);
  assert.deepEqual(drawn.map(({ x1, x2 }) => [x1, x2]), [[4, 10], [10, 40], [40, 135]]);
});

test("a single tier that is open on both sides has a place", () => {
  const { drawn } = pieces([{ name: "mid", from: 0, to: null }], { p05: 3, median: 3, p95: 3 });
  assert.deepEqual([drawn[0].x1, drawn[0].x2], [2, 4.5]);
});

test("what is left out is said", () => {
  assert.deepEqual(first([1, 2, 3], 2, "brands"), { rows: [1, 2], note: "The first 2 of 3 brands; the table has all." });
  assert.equal(first([1, 2], 2, "brands").note, null);
});
