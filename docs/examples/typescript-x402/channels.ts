// Pays for many answers on payment channels, each in one round trip: npm ci && npm run channels
//
// The first request of a channel fetches the terms and makes the deposit; each later request carries its voucher,
// signed in advance. Requests on one channel are sequential, so the program uses a pool of channels. Their state is
// stored in STATE, so that a restarted program continues with the same channels. A new key is enough for a server in
// sandbox mode with channels. For payments in real money, PAYER_KEY is the key of an account that holds USDC, NETWORK
// its chain and RPC_URL a node of that chain.

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
// With a node, a client that has lost its state can recover its channel from the chain.
const chain = RPC_URL && createPublicClient({ transport: http(RPC_URL) });
const signer = chain ? toClientEvmSigner(account, chain) : account;

/** One channel. Its requests are sequential, because each voucher signs the total cost of those before it. */
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

  /** Sends a request after all earlier requests of this channel, and returns its answer. */
  get(url: string): Promise<Response> {
    const answer = this.last.then(() => this.pay(url));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Refunds the rest of the deposit. */
  close(url: string) {
    return this.last.then(() => this.scheme.refund(url));
  }

  private async pay(url: string): Promise<Response> {
    // One channel pays for all paths; the offer of each path is requested once.
    const path = new URL(url).pathname;
    let offer = this.offers.get(path);
    if (!offer) {
      const asked = await fetch(url);
      if (asked.status !== 402) return asked;
      offer = this.client.getPaymentRequiredResponse((name) => asked.headers.get(name));
    }
    // A changed price or a channel that is out of sync causes one 402, whose values the client adopts.
    for (let again = true; ; again = false) {
      this.offers.set(path, offer);
      const payment = await this.client.createPaymentPayload(offer);
      const headers = this.client.encodePaymentSignatureHeader(payment);
      // A lost answer is requested again with the same voucher, and is not charged twice.
      const answer = await fetch(url, { headers }).catch(() => fetch(url, { headers }));
      const header = (name: string) => answer.headers.get(name);
      const { recovered } = await this.client.processPaymentResult(payment, header, answer.status);
      // Other terms: the next request fetches the offer again.
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
