// Claims and sweeps: when, how much, by whom, and that the books add up all the while. Each check has a server of
// its own, whose books begin empty.

import assert from 'node:assert/strict';
import { assertBooks, channelRows } from '../../lib/books.mjs';
import { ageWithdrawal, finalizeWithdraw, initiateWithdraw, ofReceiver } from '../../lib/channels.mjs';
import { assertBelowClaimed, Customer, DEPOSIT, newAddress, PRICE } from '../../lib/customers.mjs';
import { setFaults, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { x402Header } from '../../lib/payers.mjs';
import { assertSame, Shop } from '../../lib/shop.mjs';
import { PAY_TO } from '../../rig/addresses.mjs';
import { sleep, tokensOf } from '../../rig/chain.mjs';
import { withChannels } from './servers.mjs';

const CLAIM_AT = 100_000;
// Then all but the last voucher is claimed.
const CLAIM_AT_TWO = 2 * PRICE;
const CLAIM_AFTER_S = 60;
const DELAY_S = 900;
// What a payer leaves in his channel, of what he owes.
const LEFT = 25_000;
const WAIT_MS = 100_000;
const FAULT_MS = 5_000;
// A claim that failed is made again after 10 s at first.
const AGAIN_WAIT_MS = 45_000;

export async function run() {
  await check('what is sold is claimed once it is worth it: all but the last voucher', atSum);
  await check('what is sold is claimed after a while, however little', afterWhile);
  await check('many channels in one call', manyChannels);
  await check('what was claimed opens nothing', published);
  await check('claims wait for a facilitator that is down, vouchers do not', waits);
  for (const [name, fault] of Object.entries(FAULTS)) {
    await check(`a facilitator that ${name}: the chain decides what is claimed`, () => faulty(fault));
  }
  await check('one channel that cannot be claimed holds up no other', poisoned);
  await check('claimed money is moved to the receiver once it is worth it', sweeps);
  await check('pricebook ledger claim and sweep, beside the server', byHand);
  await check('deposits are no revenue', noRevenue);
  await check('what operators are told', metrics);
}

/** Waits until something holds. */
async function until(what, holds, waitMs = WAIT_MS) {
  for (const last = Date.now() + waitMs; Date.now() < last; await sleep(500)) {
    if (await holds()) return;
  }
  throw new Error(`not within ${waitMs} ms: ${what}`);
}

const claimedOf = async (customer) => Number((await customer.onChain()).claimed);

/** Waits until the ledger has heard of what the chain has. */
async function untilBooked(server, customers) {
  await until('the ledger knows what was claimed', async () => {
    const rows = await channelRows(server);
    const claims = await Promise.all(customers.map(claimedOf));
    return customers.every(({ channel }, index) => Number(rows.get(channel.id).claimed) === claims[index]);
  });
}

async function sell(customer, count) {
  for (let turn = 0; turn < count; turn += 1) {
    // The chain's part of the receipts changes while claims are made.
    const header = await customer.voucher(customer.charged + PRICE);
    const path = fresh();
    const answer = await customer.shop.get(path, [header]);
    assert.equal(answer.status, 200, String(answer));
    customer.charged += PRICE;
    customer.last = { path, header, answer };
  }
}

function atSum() {
  return withChannels({ name: 'claims_at', channels: { claim_at: CLAIM_AT } }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, CLAIM_AT / PRICE - 2);
    await sleep(2_000);
    assert.equal(await claimedOf(customer), 0, 'claimed before it was worth it');
    await sell(customer, 6);
    await until('claimed', async () => (await claimedOf(customer)) > 0);
    await untilBooked(server, [customer]);
    const claimed = await claimedOf(customer);
    assert.ok(claimed <= customer.charged - PRICE, 'the last voucher was published');
    assert.ok(customer.charged - claimed < CLAIM_AT, `${customer.charged - claimed} left`);
    await assertBooks(server, [customer], { all: true });
    return `${claimed} of ${customer.charged}`;
  });
}

function afterWhile() {
  const channels = { claim_after_s: CLAIM_AFTER_S };
  return withChannels({ name: 'claims_after', channels }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, 2);
    const { swept } = await ofReceiver();
    await until('claimed', async () => (await claimedOf(customer)) === customer.charged - PRICE);
    await untilBooked(server, [customer]);
    await assertBooks(server, [customer], { all: true });
    assert.equal((await ofReceiver()).swept, swept, 'swept before it was worth it');
  });
}

function manyChannels() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'claims_many', channels }, async (server) => {
    const customers = await Promise.all(Array.from({ length: 6 }, () => Customer.open(server)));
    for (const customer of customers) await sell(customer, 3);
    const areClaimed = async () => {
      const claims = await Promise.all(customers.map(claimedOf));
      return customers.every(({ charged }, index) => claims[index] === charged - PRICE);
    };
    await until('all claimed', areClaimed);
    await untilBooked(server, customers);
    await assertBooks(server, customers, { all: true });
    const hashes = (await server.rows()).filter(({ state }) => state === 'claimed');
    return `${new Set(hashes.map(({ transaction }) => transaction)).size} transactions for 6 channels`;
  });
}

function published() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'claims_published', channels }, async (server) => {
    const customer = await Customer.open(server);
    const sold = [customer.last];
    for (let turn = 0; turn < 3; turn += 1) {
      await sell(customer, 1);
      sold.push(customer.last);
    }
    await until('claimed', async () => (await claimedOf(customer)) === customer.charged - PRICE);
    const anybody = new Shop(server, newAddress());
    for (const { path, header } of sold.slice(0, -1)) {
      assertBelowClaimed(await anybody.get(path, [header]));
      assertBelowClaimed(await anybody.get(fresh(), [header]));
    }
    // The last one was not published, and its answer is kept.
    const { path, header, answer } = customer.last;
    assertSame(await anybody.get(path, [header]), answer);
    await sell(customer, 1);
  });
}

function waits() {
  const channels = { claim_at: CLAIM_AT };
  return withChannels({ name: 'claims_wait', channels }, async (server) => {
    const customer = await Customer.open(server);
    await withFaults({ down: 1 }, async () => {
      await sell(customer, 20);
      await sleep(3_000);
      assert.equal(await claimedOf(customer), 0);
    });
    await until(
      'claimed',
      async () => (await claimedOf(customer)) >= customer.charged - PRICE,
      AGAIN_WAIT_MS,
    );
    await untilBooked(server, [customer]);
    await assertBooks(server, [customer], { all: true });
  });
}

const FAULTS = {
  'cuts the connection after it claimed': 'lost',
  'answers garbage after it claimed': 'garbage',
  'says that it failed, and it did not': 'deny',
  'says pending': 'pending',
  'says claimed and does nothing': 'feign',
  refuses: 'refuse',
};

function faulty(kind) {
  const channels = { claim_at: CLAIM_AT };
  return withChannels({ name: `claims_${kind}`, channels }, async (server) => {
    const customer = await Customer.open(server);
    await setFaults({ settle: kind, only: 'claim' });
    await sell(customer, 12);
    await sleep(FAULT_MS);
    const isDone = !['feign', 'refuse'].includes(kind);
    assert.equal((await claimedOf(customer)) > 0, isDone);
    await untilBooked(server, [customer]);
    await assertBooks(server, [customer]);
    await setFaults({ settle: '', only: '' });
    await sell(customer, 12);
    await until('claimed', async () => customer.charged - (await claimedOf(customer)) < CLAIM_AT);
    await untilBooked(server, [customer]);
    await assertBooks(server, [customer], { all: true });
  });
}

/** The contract makes all claims of a call or none: money that was withdrawn by force fails the call. */
function poisoned() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'claims_poisoned', channels }, async (server) => {
    const thief = await Customer.open(server);
    const halfThief = await Customer.open(server);
    const honest = await Promise.all(Array.from({ length: 3 }, () => Customer.open(server)));
    const everybody = [thief, halfThief, ...honest];
    await setFaults({ down: 1 });
    for (const customer of everybody) await sell(customer, 4);
    await server.stop();
    for (const [customer, amount] of [
      [thief, DEPOSIT],
      [halfThief, DEPOSIT - LEFT],
    ]) {
      await initiateWithdraw(customer.channel, amount);
      await ageWithdrawal(customer.channel, DELAY_S + 1);
      await finalizeWithdraw(customer.channel);
    }
    await setFaults({ down: 0 });
    await server.start();
    const areClaimed = async () => {
      const claims = await Promise.all(honest.map(claimedOf));
      return honest.every(({ charged }, index) => claims[index] >= charged - PRICE);
    };
    await until('the others are claimed', areClaimed);
    assert.equal(await claimedOf(thief), 0);
    // What he left is taken.
    await until('the rest is claimed', async () => (await claimedOf(halfThief)) === LEFT);
    for (const customer of [thief, halfThief]) {
      const answer = await customer.shop.get(fresh(), [await customer.voucher(customer.charged + PRICE)]);
      assert.equal(answer.status, 402, String(answer));
    }
    await untilBooked(server, everybody);
    await assertBooks(server, honest);
    // Who comes back pays his debt first: his next voucher signs for it, too.
    const back = await halfThief.channel.deposit(DEPOSIT, halfThief.charged + PRICE);
    const answer = await halfThief.shop.get(fresh(), [x402Header(back)]);
    assert.equal(answer.status, 200, String(answer));
    halfThief.charged += PRICE;
    await sell(halfThief, 3);
    await until('the debt is claimed', async () => (await claimedOf(halfThief)) >= halfThief.charged - PRICE);
  });
}

function sweeps() {
  const channels = { claim_at: CLAIM_AT, sweep_at: CLAIM_AT };
  return withChannels({ name: 'claims_sweep', channels }, async (server) => {
    const before = await tokensOf(PAY_TO);
    const { claimed, swept } = await ofReceiver();
    const unswept = claimed - swept;
    const customer = await Customer.open(server);
    await sell(customer, 25);
    await until('swept', async () => (await ofReceiver()).swept > swept);
    const moved = (await tokensOf(PAY_TO)) - before;
    assert.equal((await ofReceiver()).swept - swept, moved);
    assert.ok(moved >= BigInt(CLAIM_AT), `swept ${moved}, which is not worth it`);
    return `${moved} swept, of which ${unswept} were there before`;
  });
}

function byHand() {
  return withChannels({ name: 'claims_by_hand', channels: {} }, async (server) => {
    const customers = await Promise.all(Array.from({ length: 3 }, () => Customer.open(server)));
    for (const customer of customers) await sell(customer, 4);
    const [first, ...others] = customers;
    const one = await server.command(
      'ledger',
      'claim',
      '--config',
      server.config,
      '--channel',
      first.channel.id,
    );
    assert.ok(await claimedOf(first), `nothing was claimed: ${one.output}`);
    assert.match(one.stdout, /^transaction 0x[0-9a-f]{64} .* USD\n$/, 'not one line with the transaction');
    for (const customer of others) assert.equal(await claimedOf(customer), 0, 'claimed beside the one named');
    const rest = await server.command('ledger', 'claim', '--config', server.config);
    for (const customer of customers) {
      const claimed = await claimedOf(customer);
      assert.ok([customer.charged, customer.charged - PRICE].includes(claimed), `claimed ${claimed}`);
    }
    await untilBooked(server, customers);
    await assertBooks(server, customers, { all: true });
    const before = await tokensOf(PAY_TO);
    const { claimed, swept } = await ofReceiver();
    const sweep = await server.command('ledger', 'sweep', '--config', server.config);
    assert.equal(sweep.code, 0, sweep.output);
    assert.equal((await tokensOf(PAY_TO)) - before, claimed - swept);
    assert.match(sweep.stdout, /^transaction 0x[0-9a-f]{64} .* USD\n$/, 'not one line with the transaction');
    const dead = await withFaults({ down: 1 }, () =>
      server.command('ledger', 'claim', '--config', server.config),
    );
    for (const customer of customers) await sell(customer, 1);
    const failing = await withFaults({ down: 1 }, () =>
      server.command('ledger', 'claim', '--config', server.config),
    );
    assert.notEqual(failing.code, 0, `not done, and yet: ${failing.output}`);
    return `exits: one ${one.code}, all ${rest.code}, nothing to do and facilitator down ${dead.code}`;
  });
}

function noRevenue() {
  return withChannels({ name: 'claims_revenue', channels: {} }, async (server) => {
    const customers = await Promise.all(Array.from({ length: 2 }, () => Customer.open(server)));
    await sell(customers[0], 3);
    const takings = await assertBooks(server, customers, { all: true });
    assert.equal(takings.payments, 5);
    assert.equal(takings.claimed, 0n);
    const others = (await server.rows()).filter(({ rail }) => rail !== 'channels');
    assert.deepEqual(others, [], 'a deposit among the payments');
  });
}

function metrics() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'claims_metrics', channels }, async (server) => {
    const before = await server.metrics();
    const paidBefore = paymentsIn(before);
    const customers = [await Customer.open(server), await Customer.open(server)];
    await sell(customers[0], 4);
    await until('claimed', async () => (await claimedOf(customers[0])) === customers[0].charged - PRICE);
    await untilBooked(server, customers);
    const after = await server.metrics();
    assert.equal(after.get('pricebook_channels'), 2);
    assert.equal(after.get('pricebook_channel_withdrawals_pending'), 0);
    const atRisk = after.get('pricebook_channel_at_risk_usd');
    assert.ok(Math.abs(atRisk - (2 * PRICE) / 1_000_000) < 1e-9, `${atRisk} at risk`);
    assert.ok(after.get('pricebook_channel_mirror_age_seconds') < 60);
    const claims = [...after].filter(([name]) => name.startsWith('pricebook_channel_claims_total{'));
    assert.ok(
      claims.some(([, count]) => count > 0),
      `claims: ${claims}`,
    );
    const commits = [...after.keys()].filter((name) => name.startsWith('pricebook_channel_commit_seconds'));
    assert.ok(commits.length, 'no time of commits');
    assert.equal(paymentsIn(after) - paidBefore, 6, 'vouchers among the payments');
  });
}

/** How many payments the counter of all rails has seen succeed over channels. */
function paymentsIn(metricsNow) {
  const counters = [...metricsNow].filter(
    ([name]) => name.startsWith('pricebook_payments_total{') && name.includes('channels'),
  );
  return counters.reduce((sum, [, count]) => sum + count, 0);
}
