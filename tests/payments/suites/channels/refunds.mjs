// Money back by agreement: claim and refund in one call, once, and what was bought stays bought.

import assert from 'node:assert/strict';
import {
  assertBelowClaimed,
  assertCorrective,
  assertGone,
  assertNoRefund,
  assertTooMany,
  Customer,
  DEPOSIT,
  newAddress,
  PRICE,
} from '../../lib/customers.mjs';
import { withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { BAD_PARAMETERS, DEEP, fresh } from '../../lib/paths.mjs';
import { x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertRefused, Shop } from '../../lib/shop.mjs';
import { tokensOf } from '../../rig/chain.mjs';

const BEYOND_SETTLE_MS = 9_500; // settle_timeout_ms is 8,000

export async function run({ server }) {
  await check('everything back: what was charged is claimed, the rest is paid out', () => everything(server));
  await check('a part back, and the channel goes on', () => part(server));
  await check('asked again: the same answer; asked for more: 429', () => again(server));
  await check('a client that knows the chain only may ask', () => knowsChainOnly(server));
  await check('asked with a voucher above what was charged: told what was charged', () => tooHigh(server));
  await check('amounts that are none', () => amounts(server));
  await check('nothing left to give back', () => nothingLeft(server));
  await check('a channel that is not there', () => unknown(server));
  await check('asked by somebody who cannot sign', () => stranger(server));
  await check('bad parameters are told first', () => badParameters(server));
  await check('what was published opens nothing: the kept answer, an old voucher', () => published(server));
  await check('two at once: one is made', () => twoAtOnce(server));
  await check('a voucher at the same time: sold before, or not at all', () => besideVoucher(server));
  for (const [name, fault] of Object.entries(DONE)) {
    await check(`the facilitator ${name}: made once`, () => doneAllTheSame(server, fault));
  }
  await check('the facilitator refuses: nothing moves, the channel goes on', () => refused(server));
}

/** A refund that was made: its answer, its receipt, and what the chain has moved. */
async function assertMade(customer, answer, amount, before) {
  assert.equal(answer.status, 200, String(answer));
  const { transaction, ...settlement } = answer.settlement;
  assert.match(transaction, /^0x[0-9a-f]{64}$/);
  assert.equal(settlement.success, true);
  assert.equal(settlement.amount, String(amount));
  assert.equal(settlement.payer.toLowerCase(), customer.payer.address.toLowerCase());
  assert.equal(settlement.network, customer.channel.offer.network);
  const { channelState } = settlement.extra;
  assert.equal(channelState.balance, String(customer.balance - amount));
  assert.equal(channelState.totalClaimed, String(customer.charged));
  assert.equal(channelState.chargedCumulativeAmount, String(customer.charged));
  assert.deepEqual(Object.keys(answer.json), ['refund']);
  assert.deepEqual(Object.keys(answer.json.refund).sort(), ['amount', 'channel_id', 'transaction']);
  const { channel_id: id, amount: moved, transaction: hash } = answer.json.refund;
  assert.equal(id.toLowerCase(), customer.channel.id);
  assert.equal(String(moved), String(amount));
  assert.equal(hash, transaction);
  assert.match(answer.header('cache-control') ?? '', /private/);
  await assertMoved(customer, amount, before);
}

/** What the chain has after a refund. */
async function assertMoved(customer, amount, { tokens }) {
  customer.balance -= amount;
  const { balance, claimed, refundNonce: nonce } = await customer.onChain();
  assert.deepEqual(
    { balance, claimed, nonce },
    { balance: BigInt(customer.balance), claimed: BigInt(customer.charged), nonce: 1n },
    'on the chain',
  );
  assert.equal(await tokensOf(customer.payer.address), tokens + BigInt(amount), 'paid out');
  customer.chain = { claimed: customer.charged, refundNonce: Number(nonce) };
}

async function used(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  await customer.pay();
  return { customer, before: { tokens: await tokensOf(customer.payer.address) } };
}

async function everything(server) {
  const { customer, before } = await used(server);
  await assertMade(customer, await customer.askBack(), customer.balance - customer.charged, before);
  // It can be used again.
  await customer.topUp(DEPOSIT);
  await customer.pay();
}

async function part(server) {
  const { customer, before } = await used(server);
  await assertMade(customer, await customer.askBack(200_000), 200_000, before);
  await customer.pay();
}

async function again(server) {
  const { customer } = await used(server);
  const path = fresh();
  const header = x402Header(await customer.channel.refund(customer.charged, 100_000));
  const answer = await customer.shop.get(path, [header]);
  assert.equal(answer.status, 200, String(answer));
  const same = await customer.shop.get(path, [header]);
  assert.equal(same.status, 200, String(same));
  assert.deepEqual(same.json, answer.json);
  assert.deepEqual(same.settlement, answer.settlement);
  assertTooMany(await customer.askBack(1));
  assert.equal((await customer.onChain()).refundNonce, 1n);
  assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT - 100_000));
}

async function knowsChainOnly(server) {
  const { customer, before } = await used(server);
  // Nothing is claimed yet: all that it can sign is 0.
  const answer = await customer.askBack(undefined, { max: 0 });
  await assertMade(customer, answer, customer.balance - customer.charged, before);
}

async function tooHigh(server) {
  const { customer } = await used(server);
  const signed = await customer.channel.signed(customer.charged);
  const answer = await customer.askBack(undefined, { max: customer.charged + PRICE });
  assertCorrective(answer, { customer, signed, reasons: ['amount'] });
  assert.equal((await customer.onChain()).refundNonce, 0n);
  await customer.assertUncharged();
}

async function amounts(server) {
  const { customer } = await used(server);
  for (const amount of [0, customer.balance - customer.charged + 1, customer.balance]) {
    const answer = await customer.askBack(amount);
    assertNoRefund(answer, 'refund_amount_invalid');
  }
  for (const amount of ['-1', '1.5', 'all', '0x10', '', 2n ** 64n]) {
    const answer = await customer.askBack(amount);
    assert.equal(answer.status, 402, `${amount}: ${answer}`);
  }
  assert.equal((await customer.onChain()).refundNonce, 0n);
  await customer.assertUncharged();
}

async function nothingLeft(server) {
  const customer = await Customer.open(server);
  while (customer.balance - customer.charged >= PRICES.deep) {
    await customer.pay({ path: DEEP, price: PRICES.deep });
  }
  while (customer.balance > customer.charged) await customer.pay();
  assertNoRefund(await customer.askBack(), 'refund_no_balance');
  assert.equal((await customer.onChain()).refundNonce, 0n);
}

async function unknown(server) {
  const customer = await Customer.make(server);
  const answer = await customer.askBack(undefined, { max: 0 });
  assert.equal(answer.status, 402, String(answer));
  assert.notEqual(answer.settlement?.success, true);
}

async function stranger(server) {
  const { customer } = await used(server);
  const other = await Customer.make(server);
  const payment = await customer.channel.refund(customer.charged);
  payment.payload.voucher.signature = (await other.channel.signed(customer.charged)).signature;
  assertRefused(await other.shop.get(fresh(), [x402Header(payment)]), 'signature');
  assert.equal((await customer.onChain()).refundNonce, 0n);
  await customer.assertUncharged();
}

async function badParameters(server) {
  const { customer } = await used(server);
  const header = x402Header(await customer.channel.refund(customer.charged));
  assert.equal((await customer.shop.get(BAD_PARAMETERS, [header])).status, 400);
  assert.equal((await customer.onChain()).refundNonce, 0n);
  await customer.assertUncharged();
}

async function published(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  const old = customer.last;
  await customer.pay();
  assert.equal((await customer.askBack(100_000)).status, 200);
  const anybody = new Shop(server, newAddress());
  assertGone(await anybody.get(customer.last.path, [customer.last.header]));
  for (const path of [old.path, fresh()]) assertBelowClaimed(await anybody.get(path, [old.header]));
  assert.equal((await anybody.get(fresh(), [customer.last.header])).status, 402);
}

async function twoAtOnce(server) {
  const { customer, before } = await used(server);
  const asked = [100_000, 200_000];
  const answers = await Promise.all(asked.map((amount) => customer.askBack(amount)));
  const made = asked.filter((_, index) => answers[index].status === 200);
  assert.equal(made.length, 1, answers.join('\n'));
  const [other] = answers.filter(({ status }) => status !== 200);
  assert.ok([429, 503].includes(other.status), String(other));
  await assertMoved(customer, made[0], before);
  await customer.pay();
}

async function besideVoucher(server) {
  const outcomes = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const { customer, before } = await used(server);
    const path = fresh();
    const header = await customer.voucher(customer.charged + PRICE);
    const refund = () => customer.askBack();
    const sale = () => customer.shop.get(path, [header]);
    const calls = turn % 2 ? [sale(), refund()] : [refund(), sale()].reverse();
    const [sold, back] = await Promise.all(calls);
    if (sold.status === 200) customer.charged += PRICE;
    else assert.ok([402, 503].includes(sold.status), String(sold));
    // Asked with the ceiling from before the sale, which is still one that was charged.
    assert.equal(back.status, 200, String(back));
    await assertMoved(customer, customer.balance - customer.charged, before);
    outcomes.push(sold.status);
  }
  return outcomes.join(', ');
}

const DONE = {
  'is too slow': { settleDelay: BEYOND_SETTLE_MS },
  'cuts the connection after it': { settle: 'lost' },
  'answers 500 after it': { settle: '500' },
  'says pending': { settle: 'pending' },
  'says that it failed, and it did not': { settle: 'deny' },
};

async function doneAllTheSame(server, fault) {
  const { customer, before } = await used(server);
  const path = fresh();
  const header = x402Header(await customer.channel.refund(customer.charged, 100_000));
  const first = await withFaults({ ...fault, only: 'refund' }, () => customer.shop.get(path, [header]));
  if (first.status !== 200) assertBusy(first);
  const answer = await customer.persist(path, header);
  assert.equal(answer.status, 200, String(answer));
  if (first.status === 200) assert.deepEqual(answer.json, first.json);
  await assertMoved(customer, 100_000, before);
  await customer.pay();
  return `first answer ${first.status}`;
}

async function refused(server) {
  const { customer } = await used(server);
  const answer = await withFaults({ settle: 'refuse', only: 'refund' }, () => customer.askBack(100_000));
  assert.ok([402, 503].includes(answer.status), String(answer));
  assert.notEqual(answer.settlement?.success, true);
  const { balance, refundNonce } = await customer.onChain();
  assert.deepEqual({ balance, refundNonce }, { balance: BigInt(DEPOSIT), refundNonce: 0n });
  const header = await customer.voucher(customer.charged + PRICE);
  const sold = await customer.persist(fresh(), header);
  assert.equal(sold.status, 200, String(sold));
  return `answered ${answer.status}`;
}
