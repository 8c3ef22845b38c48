// Pays for an answer with x402: npm ci && npm start, after npm ci && npm run build in the client
// (../../../ops/clients/out/typescript)
//
// A new key is enough for a server in sandbox mode, which does not settle payments. For payments in real money,
// PAYER_KEY is the key of an account that holds USDC, and NETWORK its chain (eip155:8453 is Base).

import { createClient } from "@pricebook/client";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const { PAYER_KEY, PRICEBOOK_URL = "http://127.0.0.1:8080", NETWORK = "eip155:84532" } = process.env;
const account = privateKeyToAccount((PAYER_KEY ?? generatePrivateKey()) as Hex);
const payer = new x402Client().register(NETWORK as `${string}:${string}`, new ExactEvmScheme(account));
const pricebook = createClient(PRICEBOOK_URL, { fetch: wrapFetchWithPayment(fetch, payer) });

const { data, error, response } = await pricebook.GET("/v1/shopper/best-price", {
  params: { query: { q: "tofu", country: "ca" } },
});
if (!data) throw new Error(`${response.status}: ${error.error.message}`);
console.log(data.best_price.product_name, data.best_price.price, data.best_price.retailer);
console.log("receipt", response.headers.get("payment-response"));
