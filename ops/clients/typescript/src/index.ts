/** A typed client of a pricebook server: openapi-fetch over the types that are generated into schema.d.ts. */

import createFetchClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { paths } from "./schema.js";

export type * from "./schema.js";

/** What answers and refusals are read as. Other formats are asked for by an Accept header of one's own. */
type Json = "application/json" | "application/problem+json";

/** The methods GET, … of every path, with parameters, answers and refusals by their types. */
export type PricebookClient = Client<paths, Json>;

/**
 * A client of the server at `baseUrl`. What pays is the `fetch` in `options`: one that answers a 402 with a payment and
 * asks again.
 */
export function createClient(baseUrl: string, options: Omit<ClientOptions, "baseUrl"> = {}): PricebookClient {
  return createFetchClient<paths, Json>({ ...options, baseUrl });
}
