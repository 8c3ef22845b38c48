// A quote as a sentence.

import assert from "node:assert/strict";
import test from "node:test";
import { understood } from "../../../src/web/assets/quote.js";

const price = { amount: "0.01", currency: "USD" };

test("it says what is paid and what for", () => {
  const product = { product_name: "Ketchup 1 l" };
  assert.equal(understood({ price, rails: [{}], product }), "Costs 0.01 USD. Understood as: Ketchup 1 l");
  assert.equal(understood({ price, rails: [{}], resolved: { category_path: "Food > Tea" } }), "Costs 0.01 USD. Understood as: Food > Tea");
});

test("where no way to pay is open nothing is paid", () => {
  assert.equal(understood({ price, rails: [] }), "Free here.");
});
