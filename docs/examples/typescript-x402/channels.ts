// Pays for many answers on payment channels, each in one round trip: npm ci && npm run channels
//
// The first request of a channel learns the terms and deposits; every other one is sent with its voucher, signed in
// advance. Requests on one channel go one after the other, so a pool has several. Channels are remembered in STATE, so
// that a program that starts again goes on where it was. A new key is enough for a server in sandbox mode that has
// channels; for money, PAYER_KEY is a key that holds USDC, NETWORK its chain and RPC_URL a node of that.

import { toClientEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { FileClientChannelStorage } from "@x402/evm/batch-settlement/client/file-storage";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import { createPublicClient, http, numberToHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

type Offer = ReturnType<x402HTTPClient["getPaymentRequiredResponse"]>;

const { PAYER_KEY, RPC_URL, PRICEBOOK_URL = "http://127.0.0.1:8080", NETWORK = "eip155:84532" } = process.env;
const { STATE = "channels" } = process.env;
const account = privateKeyToAccount((PAYER_KEY ?? generatePrivateKey()) as Hex);
// With a node a client that has lost its state finds its channel again.
const chain = RPC_URL && createPublicClient({ transport: http(RPC_URL) });
const signer = chain ? toClientEvmSigner(account, chain) : account;

/** One channel. Its requests wait for each other: each signs what all before it have cost. */
class Channel {
  private readonly scheme: BatchSettlementEvmScheme;
  private readonly client: x402HTTPClient;
  private readonly offers = new Map<string, Offer>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(number: number) {
    const storage = new FileClientChannelStorage({ directory: STATE });
    this.scheme = new BatchSettlementEvmScheme(signer, { salt: numberToHex(number, { size: 32 }), storage });
    const payer = new x402Client().register(NETWORK as `${string}:${string}`, this.scheme);
    this.client = new x402HTTPClient(payer);
  }

  /** Answers a request, after those that were asked before it. */
  get(url: string): Promise<Response> {
    const answer = this.last.then(() => this.pay(url));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Gives back what is left. */
  close(url: string) {
    return this.last.then(() => this.scheme.refund(url));
  }

  private async pay(url: string): Promise<Response> {
    // One channel pays for every path; the offer of each is asked for once.
    const path = new URL(url).pathname;
    let offer = this.offers.get(path);
    if (!offer) {
      const asked = await fetch(url);
      if (asked.status !== 402) return asked;
      offer = this.client.getPaymentRequiredResponse((name) => asked.headers.get(name));
    }
    // A price that has changed, and a channel that is out of step, come back as 402 once: the client adopts what it is told.
    for (let again = true; ; again = false) {
      this.offers.set(path, offer);
      const payment = await this.client.createPaymentPayload(offer);
      const headers = this.client.encodePaymentSignatureHeader(payment);
      // An answer that is lost on the way is asked for again with the same voucher, and is not charged twice.
      const answer = await fetch(url, { headers }).catch(() => fetch(url, { headers }));
      const header = (name: string) => answer.headers.get(name);
      const { recovered } = await this.client.processPaymentResult(payment, header, answer.status);
      // Other terms: the next request asks anew.
      if (answer.status === 402 && !recovered) this.offers.delete(path);
      if (answer.status !== 402 || !recovered || !again) return answer;
      offer = this.client.getPaymentRequiredResponse(header);
    }
  }
}

const pool = Array.from({ length: 4 }, (_, number) => new Channel(number));
const target = (limit: number) => `${PRICEBOOK_URL}/v1/shopper/best-price?q=tofu&country=ca&limit=${limit}`;
const answers = await Promise.all(
  Array.from({ length: 20 }, (_, number) => pool[number % pool.length]!.get(target(number + 1))),
);
console.log("answers", answers.map((answer) => answer.status).join(" "));
const began = performance.now();
const one = await pool[0]!.get(target(1));
console.log("one more in", (performance.now() - began).toFixed(1), "ms:", one.status, (await one.json()).best_price.price);
for (const channel of pool) console.log("given back", (await channel.close(target(1))).amount);
