// The server is killed again and again while vouchers that were signed before are sent as fast as it sells; and
// while a deposit is on its way. Afterwards every channel holds what was answered, or the one answer more that was
// on its way, and what is claimed is what the ledger says.

import assert from 'node:assert/strict';
import { assertBooks, assertSound, channelRows } from '../../lib/books.mjs';
import { initiateWithdraw } from '../../lib/channels.mjs';
import { Customer, DEPOSIT, PRICE } from '../../lib/customers.mjs';
import { withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { random } from '../../lib/random.mjs';
import { basePayer, x402Header } from '../../lib/payers.mjs';
import { assertPaid } from '../../lib/shop.mjs';
import { sleep, withBlocksOf } from '../../rig/chain.mjs';
import { connect } from '../../lib/connection.mjs';
import { withChannels } from './servers.mjs';

const ROUNDS = 10;
const CHANNELS = 8;
const SIGNED = 900;
// Of each channel: more than can be spent meanwhile.
const MONEY = 100_000_000;
const UP_MS_MIN = 100;
const UP_MS_MAX = 1_200;
// How often it is told to stop instead.
const STOPS = 0.2;
const CLAIM_WAIT_MS = 90_000;
const DEPOSIT_ROUNDS = 6;
const SECONDS_PER_BLOCK = 1;
const DEPOSIT_MS_MAX = 1_500;
const SEED = Number(process.env.PAYMENTS_SEED ?? 20261121);
const CLAIM_AT = 1_000_000;

export async function run() {
  const limits = { name: 'channels_kill', channels: { claim_at: CLAIM_AT, deposit_max: MONEY } };
  await withChannels(limits, async (server) => {
    const customers = [];
    await check(`killed ${ROUNDS} times under load of ${CHANNELS} channels (seed ${SEED})`, () =>
      load(server, customers),
    );
    await check('for every channel: answered ≤ ledger ≤ answered + 1', () => within(server, customers));
    await check('the last answer is the same again, and the next voucher is sold', () => goOn(customers));
    await check('after claims the chain has what the ledger has', () => claimed(server, customers));
  });
  await withChannels({ name: 'channels_kill_deposit' }, async (server) => {
    await check(`killed ${DEPOSIT_ROUNDS} times while a deposit is made`, () => deposits(server));
    await check('killed before the answer of the facilitator: the money is found', () => found(server));
    await check('killed while money goes back', () => refunds(server));
  });
}

/** A customer with more money than he will spend, and with his vouchers signed in advance. */
async function makeCustomer(server) {
  const customer = await Customer.open(server, { payer: await basePayer(MONEY), deposit: MONEY });
  customer.answers = [];
  customer.headers = [];
  for (let count = 1; count <= SIGNED; count += 1) {
    customer.headers.push(await customer.voucher(PRICE + count * PRICE));
  }
  return customer;
}

async function load(server, customers) {
  customers.push(...(await Promise.all(Array.from({ length: CHANNELS }, () => makeCustomer(server)))));
  const next = random(SEED);
  const state = { over: false };
  const workers = customers.map((customer) => spend(server, customer, state));
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(UP_MS_MIN + next() * (UP_MS_MAX - UP_MS_MIN));
      if (next() < STOPS) await server.stop();
      else await server.kill();
      await server.start({ rails: [] });
    }
    await sleep(UP_MS_MIN);
    await server.kill();
  } finally {
    state.over = true;
    await Promise.all(workers);
  }
  const sold = customers.reduce((sum, { answers }) => sum + answers.length, 0);
  const cut = customers.reduce((sum, { cuts }) => sum + cuts, 0);
  assert.ok(sold > ROUNDS * CHANNELS, `only ${sold} answers`);
  assert.ok(cut, 'nothing was cut off');
  return `${sold} answers, ${cut} cut off`;
}

/** Sends one voucher after the other on one connection; what is cut off is sent again, as it was. */
async function spend(server, customer, state) {
  customer.cuts = 0;
  let connection;
  while (!state.over) {
    const index = customer.answers.length;
    // Where the server is faster than was thought the rest is signed on the way.
    customer.headers[index] ??= await customer.voucher(2 * PRICE + index * PRICE);
    customer.pending ??= fresh();
    try {
      connection ??= await connect(server.url);
      const answer = await connection.get(customer.pending, [customer.headers[index], ...customer.shop.via]);
      if (answer.status === 200) {
        customer.answers.push({ path: customer.pending, header: customer.headers[index], answer });
        customer.pending = undefined;
      } else if ([429, 503].includes(answer.status)) {
        await sleep(20);
      } else {
        customer.wrong = answer;
        return;
      }
    } catch {
      customer.cuts += 1;
      connection = undefined;
      await sleep(20);
    }
  }
  connection?.close();
}

const answeredTo = ({ answers }) => PRICE + answers.length * PRICE;

async function within(server, customers) {
  const rows = await channelRows(server);
  const ahead = [];
  for (const customer of customers) {
    assert.equal(customer.wrong, undefined, `a good voucher is answered ${customer.wrong}`);
    const charged = Number(rows.get(customer.channel.id).charged);
    const answered = answeredTo(customer);
    assert.ok(charged >= answered, `answered ${answered}, in the ledger ${charged}`);
    assert.ok(charged <= answered + PRICE, `answered ${answered}, in the ledger ${charged}`);
    ahead.push((charged - answered) / PRICE);
    customer.charged = charged;
  }
  return `ahead: ${ahead.join(' ')}`;
}

async function goOn(customers) {
  const [{ shop }] = customers;
  await shop.server.start();
  for (const customer of customers) {
    const { answers, headers, pending } = customer;
    const index = answers.length;
    if (customer.charged > answeredTo(customer)) {
      // The answer that nobody got is kept for who asks the same again.
      assertPaid(await customer.persist(pending, headers[index]));
    } else {
      const { path, header, answer } = answers.at(-1);
      const again = assertPaid(await customer.persist(path, header));
      assert.ok(again.body.equals(answer.body), 'another answer');
    }
    const header = await customer.voucher(customer.charged + PRICE);
    assertPaid(await customer.persist(fresh(), header));
    customer.charged += PRICE;
  }
}

/** A withdrawal makes the server claim everything, the last voucher too. */
async function claimed(server, customers) {
  for (const { channel } of customers) await initiateWithdraw(channel, 1);
  for (const last = Date.now() + CLAIM_WAIT_MS; Date.now() < last; await sleep(500)) {
    const chains = await Promise.all(customers.map((customer) => customer.onChain()));
    if (customers.every(({ charged }, index) => chains[index].claimed === BigInt(charged))) break;
  }
  await sleep(2_000);
  const takings = await assertBooks(server, customers, { all: true });
  assert.equal(takings.charged, 0n, 'exported as not claimed');
  await assertSound(server);
  return `${takings.claimed} claimed`;
}

async function deposits(server) {
  const next = random(SEED);
  const outcomes = [];
  await withBlocksOf(SECONDS_PER_BLOCK, async () => {
    for (let round = 0; round < DEPOSIT_ROUNDS; round += 1) {
      const customer = await Customer.make(server);
      const path = fresh();
      const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
      const first = customer.shop.get(path, [header]).catch(() => undefined);
      await sleep(next() * DEPOSIT_MS_MAX);
      await server.kill();
      const answer = await first;
      await server.start({ rails: [] });
      outcomes.push(answer?.status ?? 'cut');
      const again = assertPaid(await customer.persist(path, header));
      if (answer?.status === 200) assert.ok(again.body.equals(answer.body), 'another answer');
      assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT), 'deposited otherwise than once');
      Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
      await customer.pay();
    }
  });
  return outcomes.join(', ');
}

/** The facilitator settles and the server is dead by then: nothing is charged until somebody asks. */
async function found(server) {
  const customer = await Customer.make(server);
  const path = fresh();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
  await withFaults({ settleDelay: 1_000 }, async () => {
    const first = customer.shop.get(path, [header]).catch(() => undefined);
    await sleep(500);
    await server.kill();
    assert.equal(await first, undefined);
    await sleep(2_000);
  });
  assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT), 'the facilitator did nothing');
  await server.start();
  const rows = await channelRows(server);
  const row = rows.get(customer.channel.id);
  if (row) assert.equal(Number(row.charged), 0, 'charged without an answer');
  // Some clients send the same again, others sign a voucher alone: they see the balance.
  const voucher = await customer.voucher(PRICE);
  assertPaid(await customer.persist(path, voucher));
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  await customer.pay();
  await assertBooks(server, [customer]);
}

async function refunds(server) {
  const customer = await Customer.open(server);
  await customer.pay();
  const path = fresh();
  const header = x402Header(await customer.channel.refund(customer.charged, 100_000));
  await withFaults({ settleDelay: 1_000, only: 'refund' }, async () => {
    const first = customer.shop.get(path, [header]).catch(() => undefined);
    await sleep(500);
    await server.kill();
    await first;
    await sleep(2_000);
  });
  await server.start();
  const answer = await customer.persist(path, header);
  assert.equal(answer.status, 200, String(answer));
  const { balance, refundNonce } = await customer.onChain();
  assert.deepEqual({ balance, refundNonce }, { balance: BigInt(DEPOSIT - 100_000), refundNonce: 1n });
}
