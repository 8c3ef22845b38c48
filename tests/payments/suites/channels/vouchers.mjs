// A voucher buys exactly one answer: the amount, the binding to a request, and the answer that is kept.

import assert from 'node:assert/strict';
import { idOnChain } from '../../lib/channels.mjs';
import { assertCorrective, assertReceipt, Customer, newAddress, PRICE } from '../../lib/customers.mjs';
import { anyCalls } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { BAD_PARAMETERS, DEARER, DEEP, FREE, fresh, NOTHING_FOUND } from '../../lib/paths.mjs';
import { basePayer, mppEvm, mppHeader, x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertPaid, assertSame, Shop, takesNothing } from '../../lib/shop.mjs';
import { sleep } from '../../rig/chain.mjs';

const COPIES = 10;
const CUTS_MS = [0, 1, 2, 4, 8, 16];
const SETTLED_MS = 500;
const UINT128_MAX = 2n ** 128n - 1n;

export async function run({ server }) {
  await check('the first request deposits, others sign: receipts', () => receipts(server));
  await check('no facilitator and no chain between a voucher and its answer', () => alone(server));
  for (const [name, ceiling] of Object.entries(CEILINGS)) {
    await check(`a voucher that signs ${name}: told what is right, not charged`, () =>
      wrong(server, ceiling),
    );
  }
  await check('a voucher above the balance: told what is right, not charged', () => aboveBalance(server));
  await check('the price of another route: told what is right', () => otherPrice(server));
  await check('one channel for all routes', () => allRoutes(server));
  await check('the same request again: the same bytes', () => replay(server));
  await check('the request in another order and spelling is the same request', () => otherSpelling(server));
  await check('a channel in other letters is the same channel', () => otherLetters(server));
  await check('a sold voucher on another request: payment_used', () => otherRequest(server));
  await check('an older voucher, on its own request too', () => olderVoucher(server));
  await check(`${COPIES} copies at once: one charge, one answer`, () => copies(server));
  await check(`${COPIES} requests with one voucher at once: one is sold`, () => manyRequests(server));
  await check('one channel from two addresses at once', () => twoAddresses(server));
  await check('If-None-Match counts for the kept answer only', () => conditional(server));
  for (const [name, request] of Object.entries(UNCHARGED)) {
    await check(`${name} is not charged, and the voucher stays good`, () => uncharged(server, request));
  }
  await check('two payments in one request: 400, and neither is taken', () => twoPayments(server));
  await check('an agent pays for a tool, is corrected, and gets the kept answer', () => agent(server));
  await check('a client that goes away is charged once or not at all', () => goneAway(server));
}

async function receipts(server) {
  const customer = await Customer.open(server);
  assert.equal(await idOnChain(customer.channel.config), customer.channel.id);
  for (let count = 0; count < 3; count += 1) await customer.pay();
  const { balance, claimed } = await customer.onChain();
  assert.deepEqual({ balance, claimed }, { balance: BigInt(customer.balance), claimed: 0n });
}

async function alone(server) {
  const customer = await Customer.open(server);
  const calls = await anyCalls();
  await takesNothing(() => customer.pay());
  assert.equal(await anyCalls(), calls, 'the facilitator was asked');
}

const CEILINGS = {
  'one unit too much': (right) => right + 1,
  'one unit too little': (right) => right - 1,
  'two prices': (right) => right + PRICE,
  'far too much': (right) => right + 20 * PRICE,
  'one unit': () => 1,
  'less than was charged': (right) => right - PRICE - 1,
};

async function wrong(server, ceiling) {
  const customer = await Customer.open(server);
  await customer.pay();
  const path = fresh();
  const header = await customer.voucher(ceiling(customer.charged + PRICE));
  const signed = await customer.channel.signed(customer.charged);
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await customer.shop.get(path, [header]);
    assertCorrective(answer, { customer, signed, reasons: ['amount'] });
  }
  await customer.assertUncharged();
}

async function aboveBalance(server) {
  const customer = await Customer.open(server);
  const signed = await customer.channel.signed(customer.charged);
  for (const max of [customer.balance + 1, customer.balance + PRICE]) {
    const answer = await customer.shop.get(fresh(), [await customer.voucher(max)]);
    assertCorrective(answer, { customer, signed, reasons: ['amount'] });
  }
  // Nothing at all, and more than there can be of the token: whether that is read at all is the server's affair.
  for (const max of [0, 2n ** 64n, UINT128_MAX]) {
    const answer = await customer.shop.get(fresh(), [await customer.voucher(max)]);
    assert.equal(answer.status, 402, String(answer));
  }
  await customer.assertUncharged();
  // Exactly one price more than was charged, and more than there is.
  while (customer.balance - customer.charged >= PRICES.deep) {
    await customer.pay({ path: DEEP, price: PRICES.deep });
  }
  while (customer.balance > customer.charged) await customer.pay();
  const last = await customer.channel.signed(customer.charged);
  const answer = await customer.shop.get(fresh(), [await customer.voucher(customer.charged + PRICE)]);
  assertCorrective(answer, { customer, signed: last, reasons: ['amount'] });
}

async function otherPrice(server) {
  const customer = await Customer.open(server);
  const signed = await customer.channel.signed(customer.charged);
  const header = await customer.voucher(customer.charged + PRICE);
  const answer = await customer.shop.get(DEARER, [header]);
  assertCorrective(answer, { customer, signed, reasons: ['amount'], price: PRICES.analyst });
  await customer.pay({ path: DEARER, price: PRICES.analyst });
}

async function allRoutes(server) {
  const customer = await Customer.open(server);
  await customer.pay({ path: DEARER, price: PRICES.analyst });
  await customer.pay({ path: DEEP, price: PRICES.deep });
  await customer.pay();
}

async function replay(server) {
  const customer = await Customer.open(server);
  // The first answer came with a deposit, the second with a voucher.
  for (let turn = 0; turn < 2; turn += 1) {
    const { path, header, answer } = customer.last;
    assertSame(await customer.shop.get(path, [header]), answer);
    const elsewhere = await new Shop(server, newAddress()).get(path, [header]);
    assertSame(elsewhere, answer);
    assert.deepEqual(elsewhere.settlement, answer.settlement);
    await customer.pay();
  }
}

async function otherSpelling(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  const { path, header, answer } = customer.last;
  const { pathname, searchParams } = new URL(path, 'http://x');
  const reversed = [...searchParams].reverse().map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  assertSame(await customer.shop.get(`${pathname}?${reversed.join('&')}`, [header]), answer);
  await customer.assertUncharged();
}

/** Addresses and hashes are numbers: how their letters are written means nothing. */
async function otherLetters(server) {
  const customer = await Customer.open(server);
  const upper = (hex) => `0x${hex.slice(2).toUpperCase()}`;
  for (const write of [(hex) => hex.toLowerCase(), upper]) {
    const { payload, ...payment } = await customer.channel.voucher(customer.charged + PRICE);
    const { withdrawDelay, ...texts } = payload.channelConfig;
    const written = Object.entries(texts).map(([name, hex]) => [name, write(hex)]);
    const channelConfig = { ...Object.fromEntries(written), withdrawDelay };
    const { channelId, signature, maxClaimableAmount } = payload.voucher;
    const voucher = { maxClaimableAmount, channelId: write(channelId), signature: write(signature) };
    const header = x402Header({ ...payment, payload: { ...payload, channelConfig, voucher } });
    assertPaid(await customer.shop.get(fresh(), [header]));
    customer.charged += PRICE;
  }
  await customer.assertUncharged();
}

async function otherRequest(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  const { path, header, answer } = customer.last;
  const signed = await customer.channel.signed(customer.charged);
  const other = await customer.shop.get(fresh(), [header]);
  assertCorrective(other, { customer, signed, reasons: ['payment_used'] });
  assertSame(await customer.shop.get(path, [header]), answer);
  await customer.assertUncharged();
}

async function olderVoucher(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  const older = customer.last;
  await customer.pay();
  const signed = await customer.channel.signed(customer.charged);
  for (const path of [older.path, fresh()]) {
    const answer = await customer.shop.get(path, [older.header]);
    assertCorrective(answer, { customer, signed, reasons: ['amount', 'payment_used'] });
  }
  await customer.assertUncharged();
}

const all = (count, run) => Promise.all(Array.from({ length: count }, (_, index) => run(index)));

async function copies(server) {
  const customer = await Customer.open(server);
  const path = fresh();
  const header = await customer.voucher(customer.charged + PRICE);
  const answers = await all(COPIES, () => customer.shop.get(path, [header]));
  const paid = answers.filter(({ status }) => status === 200);
  assert.ok(paid.length, 'nobody was answered');
  // Who finds the queue full comes again.
  for (const answer of answers.filter(({ status }) => status !== 200)) assertBusy(answer);
  for (const answer of paid) assertSame(answer, paid[0]);
  customer.charged += PRICE;
  assertReceipt(paid[0], { customer, price: PRICE });
  for (const answer of await all(3, () => customer.persist(path, header))) assertSame(answer, paid[0]);
  await customer.assertUncharged();
  return `${paid.length} × 200, ${COPIES - paid.length} × 503`;
}

async function manyRequests(server) {
  const customer = await Customer.open(server);
  const header = await customer.voucher(customer.charged + PRICE);
  const paths = Array.from({ length: COPIES }, fresh);
  const answers = await Promise.all(paths.map((path) => customer.shop.get(path, [header])));
  const paid = answers.filter(({ status }) => status === 200);
  assert.equal(paid.length, 1, answers.join('\n'));
  customer.charged += PRICE;
  const signed = await customer.channel.signed(customer.charged);
  for (const answer of answers) {
    if (answer.status === 503) assertBusy(answer);
    else if (answer.status !== 200)
      assertCorrective(answer, { customer, signed, reasons: ['payment_used', 'amount'] });
  }
  await customer.assertUncharged();
}

async function twoAddresses(server) {
  const customer = await Customer.open(server);
  const other = new Shop(server, newAddress());
  for (let turn = 0; turn < 5; turn += 1) {
    const header = await customer.voucher(customer.charged + PRICE);
    const answers = await Promise.all([customer.shop.get(fresh(), [header]), other.get(fresh(), [header])]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 402], answers.join('\n'));
    customer.charged += PRICE;
  }
  await customer.assertUncharged();
}

async function conditional(server) {
  const customer = await Customer.open(server);
  // With a new voucher the condition is ignored: a full answer, and it is charged.
  await customer.pay({ headers: [['if-none-match', '*']] });
  const { path, header, answer } = customer.last;
  const tag = answer.header('etag');
  assert.ok(answer.body.length, 'an empty answer was sold');
  if (tag) {
    const again = await customer.shop.get(path, [header, ['if-none-match', tag]]);
    assert.ok([200, 304].includes(again.status), String(again));
    await customer.pay({ path, headers: [['if-none-match', tag]] });
  }
  await customer.assertUncharged();
  return `${tag ? 'with' : 'without'} an ETag`;
}

const UNCHARGED = {
  'HEAD of a paid route': { method: 'HEAD', status: 402 },
  'a free route': { path: FREE, status: 200 },
  'a request that finds nothing': { path: NOTHING_FOUND, status: 404 },
  'a request with bad parameters': { path: BAD_PARAMETERS, status: 400 },
  'a route that is not there': { path: '/v1/nowhere', status: 404 },
  'another method': { method: 'POST', status: 405 },
  'a quote': { suffix: '&quote=true', status: 200 },
};

async function uncharged(server, { path, suffix = '', method, status }) {
  const customer = await Customer.open(server);
  const right = fresh();
  const header = await customer.voucher(customer.charged + PRICE);
  const answer = await customer.shop.get((path ?? right) + suffix, [header], { method });
  assert.equal(answer.status, status, String(answer));
  assert.equal(answer.settlement, undefined);
  // The first request of a channel too: its deposit is not made for nothing.
  const newcomer = await Customer.make(server);
  const deposit = x402Header(await newcomer.channel.deposit(1_000_000, PRICE));
  const second = await newcomer.shop.get((path ?? right) + suffix, [deposit], { method });
  assert.equal(second.status, status, String(second));
  assert.equal((await newcomer.onChain()).balance, 0n, 'deposited for nothing');
  await customer.assertUncharged();
}

async function twoPayments(server) {
  const customer = await Customer.open(server);
  const path = fresh();
  const { challenges } = await customer.shop.unpaid(path);
  const voucher = await customer.voucher(customer.charged + PRICE);
  const other = await customer.voucher(customer.charged + 2 * PRICE);
  const credential = mppHeader(await mppEvm(challenges.evm, await basePayer()));
  for (const headers of [
    [voucher, credential],
    [voucher, voucher],
    [voucher, other],
  ]) {
    const answer = await takesNothing(() => customer.shop.get(path, headers));
    assert.ok([400, 402].includes(answer.status), String(answer));
    assert.equal(answer.settlement, undefined);
  }
  await customer.assertUncharged();
}

/** A call of a tool is a request of its route: what was bought here is kept there. */
async function agent(server) {
  const customer = await Customer.open(server);
  const call = async (max) => {
    const payment = await customer.channel.voucher(max);
    const params = {
      name: 'best_price',
      arguments: { q: 'tofu', country: 'ca', limit: 7 },
      _meta: { 'x402/payment': payment },
    };
    const headers = [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const answer = await customer.shop.get('/mcp', headers, { method: 'POST', body });
    assert.equal(answer.status, 200, String(answer));
    const text = answer.body.toString('utf8');
    return JSON.parse(text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)[1]).result;
  };
  const wrong = await call(customer.charged + PRICE + 1);
  assert.equal(wrong.isError, true, JSON.stringify(wrong));
  const { error, accepts } = wrong.structuredContent;
  assert.equal(error, 'invalid_batch_settlement_evm_cumulative_amount_mismatch');
  assert.deepEqual(
    accepts.map(({ scheme }) => scheme),
    ['batch-settlement'],
  );
  assert.equal(accepts[0].extra.channelState.chargedCumulativeAmount, String(customer.charged));
  const sold = await call(customer.charged + PRICE);
  assert.ok(!sold.isError, JSON.stringify(sold));
  const receipt = sold._meta['x402/payment-response'];
  customer.charged += PRICE;
  assert.equal(receipt.extra.channelState.chargedCumulativeAmount, String(customer.charged));
  const again = await call(customer.charged);
  assert.deepEqual(again.content, sold.content);
  assert.deepEqual(again._meta['x402/payment-response'], receipt);
  await customer.assertUncharged();
}

async function goneAway(server) {
  const outcomes = [];
  for (const cutAfterMs of CUTS_MS) {
    const customer = await Customer.open(server);
    const path = fresh();
    const header = await customer.voucher(customer.charged + PRICE);
    await customer.shop.get(path, [header], { cutAfterMs });
    await sleep(SETTLED_MS);
    // Whether it was charged shows only from what another request is told.
    const probe = await customer.shop.get(fresh(), [await customer.voucher(1)]);
    assert.equal(probe.status, 402);
    const { chargedCumulativeAmount } = probe.required.accepts[0].extra.channelState;
    const wasCharged = Number(chargedCumulativeAmount) - customer.charged;
    assert.ok([0, PRICE].includes(wasCharged), `charged ${wasCharged}`);
    outcomes.push(wasCharged ? 'charged' : 'not');
    assertPaid(await customer.shop.get(path, [header]));
    customer.charged += PRICE;
    await customer.assertUncharged();
  }
  return outcomes.join(', ');
}
