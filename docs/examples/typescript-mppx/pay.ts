// Pays for an answer with MPP, by mppx: npm ci && npm start, after npm ci && npm run build in the client
// (../../../ops/clients/out/typescript)
//
// A new key is enough for a server in sandbox mode, which does not settle payments. For payments in real money,
// PAYER_KEY is the key of an account that holds USDC on Base.

import { createClient } from "@pricebook/client";
import { Mppx } from "mppx/client";
import { assets } from "mppx/evm";
import { evm } from "mppx/evm/client";
import { type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const { PAYER_KEY, PRICEBOOK_URL = "http://127.0.0.1:8080" } = process.env;
const account = privateKeyToAccount((PAYER_KEY ?? generatePrivateKey()) as Hex);
const { USDC } = PAYER_KEY ? assets.base : assets.baseSepolia;
const mppx = Mppx.create({ polyfill: false, methods: [evm({ account, currencies: [USDC] })] });
const pricebook = createClient(PRICEBOOK_URL, { fetch: mppx.fetch });

const { data, error, response } = await pricebook.GET("/v1/shopper/best-price", {
  params: { query: { q: "tofu", country: "ca" } },
});
if (!data) throw new Error(`${response.status}: ${error.error.message}`);
console.log(data.best_price.product_name, data.best_price.price, data.best_price.retailer);
console.log("receipt", response.headers.get("payment-receipt") ?? response.headers.get("payment-response"));
