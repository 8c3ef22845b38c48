// Calls through the TypeScript client: what is narrowed by its types is what a server answers.

import assert from "node:assert/strict";
import { createClient } from "../src/index.js";

const pricebook = createClient(process.env.PRICEBOOK_URL!);

const best = await pricebook.GET("/v1/shopper/best-price", { params: { query: { q: "tofu", country: "ca" } } });
assert.ok(best.data, best.response.statusText);
const price: number = best.data.best_price.price;
assert.ok(price > 0);

const categories = await pricebook.GET("/v1/public/categories", { params: { query: { country: "ca" } } });
assert.ok(categories.data);
const slugs: string[] = categories.data.items.map(({ slug }) => slug);
assert.ok(slugs.includes("food"), slugs.join());

const inflation = await pricebook.GET("/v1/analyst/inflation", {
  params: { query: { category: "food", country: "ca", time_window: "month_over_month" } },
});
const change: number | null | undefined = inflation.data?.lfl_change_pct;
assert.equal(typeof change, "number");

// A refusal says by its code what its details are.
const nothing = await pricebook.GET("/v1/shopper/best-price", { params: { query: { q: "zzzzqqqq" } } });
assert.equal(nothing.response.status, 404);
assert.equal(nothing.data, undefined);
const { error } = nothing.error!;
assert.equal(error.code, "NO_RESULTS");
if (error.code === "NO_RESULTS") assert.equal(error.details.reason, "unknown_product");

const bad = await pricebook.GET("/v1/shopper/best-price", { params: { query: { limit: 0 } } });
assert.ok(bad.error?.error.code === "INVALID_PARAMS");
const named: string[] = bad.error.error.details.parameters.map(({ parameter }) => parameter);
assert.deepEqual(named, ["q", "limit"]);

// What is not in the description is no call.
// @ts-expect-error No such path.
void (() => pricebook.GET("/v1/nothing"));
// @ts-expect-error No such country.
void (() => pricebook.GET("/v1/public/retailers", { params: { query: { country: "mx" } } }));
// @ts-expect-error A category is needed.
void (() => pricebook.GET("/v1/shopper/deal-finder"));

console.log("TypeScript: the calls are answered as their types say");
