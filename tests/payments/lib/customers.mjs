// Payers with channels, who know what they were charged, and what is expected of the answers they get.

import assert from 'node:assert/strict';
import { Channel, channelOffer, onChain } from './channels.mjs';
import { fresh } from './paths.mjs';
import { basePayer, x402Header } from './payers.mjs';
import { PRICES } from './server.mjs';
import { assertChallenge, assertPaid, Shop } from './shop.mjs';

export const PRICE = PRICES.shopper;
export const DEPOSIT = 1_000_000;
export const FUNDS = 10_000_000;
const MISMATCH = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';
const BELOW_CLAIMED = 'invalid_batch_settlement_evm_cumulative_below_claimed';
const TRANSACTION = /^0x[0-9a-f]{64}$/;

let addresses = 0;

/** An address that nobody had before: what one customer does wrong is counted for no other. */
export function newAddress() {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}

/** A payer with one channel. */
export class Customer {
  /** `changes` are those of a `Channel`. */
  static async make(server, { payer, ...changes } = {}) {
    const customer = new Customer();
    customer.shop = new Shop(server, newAddress());
    customer.payer = payer ?? (await basePayer(FUNDS));
    const offer = channelOffer(await customer.shop.unpaid(fresh()));
    assert.ok(offer, 'no channels are offered');
    customer.channel = new Channel(offer, customer.payer, changes);
    customer.balance = 0;
    customer.charged = 0;
    // What else the chain says of it: `claimed`, `withdrawAt`, `refundNonce`.
    customer.chain = {};
    return customer;
  }

  /** With a deposit, and one answer that came with it. */
  static async open(server, { deposit = DEPOSIT, ...changes } = {}) {
    const customer = await Customer.make(server, changes);
    await customer.topUp(deposit);
    return customer;
  }

  /** Pays a request with a deposit. */
  async topUp(amount, { path = fresh(), price = PRICE } = {}) {
    const header = x402Header(await this.channel.deposit(amount, this.charged + price));
    const answer = assertPaid(await this.shop.get(path, [header]));
    this.balance += amount;
    this.charged += price;
    assertReceipt(answer, { customer: this, price, deposited: amount });
    this.last = { path, header, answer };
    return answer;
  }

  /** The header of a voucher up to a ceiling. */
  async voucher(max) {
    return x402Header(await this.channel.voucher(max));
  }

  /** Pays a request with a voucher. */
  async pay({ path = fresh(), price = PRICE, headers = [] } = {}) {
    const header = await this.voucher(this.charged + price);
    const answer = assertPaid(await this.shop.get(path, [header, ...headers]));
    this.charged += price;
    assertReceipt(answer, { customer: this, price });
    this.last = { path, header, answer };
    return answer;
  }

  /** Presents a payment; a 503 is answered by patience. */
  async persist(path, header, waitMs) {
    return this.shop.persist(path, header, waitMs);
  }

  /** Asks for money back. */
  async askBack(amount, { path = fresh(), max = this.charged } = {}) {
    return this.shop.get(path, [x402Header(await this.channel.refund(max, amount))]);
  }

  /** What the chain says. */
  onChain() {
    return onChain(this.channel);
  }

  /** Fails unless the next voucher is sold, and is sold once: nothing that happened before was charged. */
  async assertUncharged() {
    await this.pay();
  }
}

const sameCase = (value) => JSON.parse(JSON.stringify(value).toLowerCase());

/** The state of a channel as receipts and corrective answers tell it. */
function stateOf({ channel, balance, charged, chain: { claimed = 0, withdrawAt = 0, refundNonce = 0 } }) {
  return {
    channelId: channel.id,
    balance: String(balance),
    totalClaimed: String(claimed),
    withdrawRequestedAt: withdrawAt,
    refundNonce: String(refundNonce),
    chargedCumulativeAmount: String(charged),
  };
}

/** The receipt of a voucher, or of a deposit: these members, these values, and no others. */
export function assertReceipt(answer, { customer, price, deposited }) {
  const { settlement } = answer;
  assert.equal(answer.receipt, undefined, 'a receipt of the other protocol');
  if (deposited) assert.match(settlement.transaction, TRANSACTION);
  assert.deepEqual(
    sameCase(settlement),
    sameCase({
      success: true,
      payer: customer.payer.address,
      transaction: deposited ? settlement.transaction : '',
      network: customer.channel.offer.network,
      amount: deposited ? String(deposited) : '',
      extra: { chargedAmount: String(price), channelState: stateOf(customer) },
    }),
  );
}

/** What both kinds of 402 with channels alone have: a client must not pay otherwise because of it. */
function assertAlone(answer, errors, reasons) {
  assertChallenge(answer);
  assert.ok(reasons.includes(answer.reason), `reason ${answer.reason}, expected ${reasons}: ${answer}`);
  assert.equal(answer.header('www-authenticate'), undefined, 'a corrective answer with an offer of MPP');
  assert.equal(answer.settlement, undefined, 'a corrective answer with a receipt');
  const { accepts, error: said } = answer.required;
  assert.ok(errors.includes(said), `error ${said}, expected ${errors}`);
  assert.equal(accepts.length, 1, `${accepts.length} offers`);
  const { channelState, voucherState, ...extra } = accepts[0].extra;
  return { offer: { ...accepts[0], extra }, channelState, voucherState };
}

/**
 * A corrective answer: the offer of channels alone, at the price of the request, with what the server knows.
 * `signed` is the voucher that it has.
 */
export function assertCorrective(answer, { customer, reasons, price = PRICE, signed }) {
  const { offer, channelState, voucherState } = assertAlone(answer, [MISMATCH], reasons);
  assert.deepEqual(offer, { ...customer.channel.offer, amount: String(price) });
  assert.deepEqual(sameCase(channelState), sameCase(stateOf(customer)));
  const { maxClaimableAmount: signedMaxClaimable, signature } = signed;
  assert.deepEqual(sameCase(voucherState), sameCase({ signedMaxClaimable, signature }));
  return answer;
}

/** The answer about a channel on which nothing was sold: with either code clients look at the chain. */
export function assertUnknown(answer) {
  const { voucherState } = assertAlone(answer, [MISMATCH, BELOW_CLAIMED], ['amount']);
  assert.equal(voucherState, undefined);
  return answer;
}

/** The answer to a voucher that was published: the client is to look at the chain. */
export function assertBelowClaimed(answer) {
  const { channelState, voucherState } = assertAlone(answer, [BELOW_CLAIMED], ['amount', 'payment_used']);
  assert.equal(channelState, undefined, 'state beside a voucher that anybody may have');
  assert.equal(voucherState, undefined, 'a signature beside a voucher that anybody may have');
  return answer;
}

/** A refund that will not be made. */
export function assertNoRefund(answer, code) {
  assert.equal(answer.status, 402, String(answer));
  const said = answer.settlement?.errorReason ?? answer.required?.error;
  assert.equal(said, `invalid_batch_settlement_evm_${code}`);
}

/** 429, and when to come again. */
export function assertTooMany(answer) {
  assert.equal(answer.status, 429, String(answer));
  assert.ok(answer.header('retry-after'), '429 without Retry-After');
  assert.equal(answer.required, undefined, '429 with an offer');
}

/** Gone: it was sold, and is not kept any more. */
export function assertGone(answer) {
  assert.equal(answer.status, 410, String(answer));
  assert.equal(answer.json.error.code, 'ANSWER_EXPIRED');
  assert.equal(answer.settlement?.success, true, '410 without the receipt');
}
