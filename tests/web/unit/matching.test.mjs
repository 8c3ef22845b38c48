// Which suggestions are made, and in which order.

import assert from "node:assert/strict";
import test from "node:test";
import { matches, plain } from "../../../src/web/assets/matching.js";

const entry = (value, weight = 1) => ({ value, note: "", weight });
const CATEGORIES = [
  entry("computers", 100),
  entry("computers/pc-parts", 90),
  entry("computers/pc-parts/memory", 50),
  entry("grocery/café", 10),
  entry("memorabilia", 2),
];
const found = (typed, most = 10) => matches(typed, CATEGORIES, most).map(({ value }) => value);

test("case, accents and signs do not matter", () => {
  assert.equal(plain(" PC-Parts & Café "), "pc parts cafe");
  assert.deepEqual(found("cafe"), ["grocery/café"]);
  assert.deepEqual(found("pc parts"), ["computers/pc-parts", "computers/pc-parts/memory"]);
});

test("the own name counts more than that of a parent, then the weight", () => {
  assert.deepEqual(found("mem"), ["computers/pc-parts/memory", "memorabilia"]);
  assert.deepEqual(found("comp"), ["computers", "computers/pc-parts", "computers/pc-parts/memory"]);
});

test("every word has to begin a word", () => {
  assert.deepEqual(found("comp mem"), ["computers/pc-parts/memory"]);
  assert.deepEqual(found("emory"), []);
});

test("what is there to the letter comes first", () => {
  assert.equal(found("computers/pc-parts")[0], "computers/pc-parts");
});

test("nothing typed is nothing suggested, and no more than asked for", () => {
  assert.deepEqual(found("  "), []);
  assert.equal(found("comp", 2).length, 2);
});
