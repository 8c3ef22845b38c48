// npm install @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.56.9
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const { PAYER_KEY, NETWORK = "eip155:84532" } = process.env;
const account = privateKeyToAccount((PAYER_KEY ?? generatePrivateKey()) as Hex);
const payer = new x402Client().register(NETWORK as `${string}:${string}`, new ExactEvmScheme(account));
const answer = await wrapFetchWithPayment(fetch, payer)(URL);
if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
console.log(JSON.stringify(await answer.json(), null, 2));
