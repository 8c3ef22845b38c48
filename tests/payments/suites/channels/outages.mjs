// A facilitator that is dead or lies, a chain that is silent for long, a start without either.

import assert from 'node:assert/strict';
import { channelOffer } from '../../lib/channels.mjs';
import { Customer, DEPOSIT, PRICE } from '../../lib/customers.mjs';
import { clearFaults, setFaults, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { x402Header } from '../../lib/payers.mjs';
import { assertBusy, assertPaid, Shop } from '../../lib/shop.mjs';
import { Server } from '../../lib/server.mjs';
import { CHANNELS } from '../../rig/addresses.mjs';
import { rpc, sleep } from '../../rig/chain.mjs';
import { chains } from '../../rig/start.mjs';
import { untilChannels, withChannels } from './servers.mjs';

const PAYMENTS_OF_AN_OUTAGE = 20;
// The mirror may be 120 s old at this delay.
const STALE_WAIT_MS = 200_000;
const OFFER_TTL_S = 20;
const PATIENCE_MS = 5_000;
const NOT_OFFERED_MS = 3_000;
const LIMITS = { verify_timeout_ms: 1_000, settle_timeout_ms: 3_000, chain_look_ms: 1_000 };

export async function run() {
  await check('a dead facilitator: channels go on and are offered, deposits and refunds are 503', dead);
  await check('a dead facilitator at the start, once it had been alive', deadAtStart);
  await check('a facilitator that says deposited and does nothing: nothing is sold', feigned);
  await check('a facilitator that says refunded and does nothing: nobody is told so', feignedRefund);
  await check(
    'a deposit that nobody heard of again: once it cannot come any more another is taken',
    neverCame,
    2 * STALE_WAIT_MS,
  );
  await check('a chain without the contracts: no channels, until they are there', noContracts);
  await check('a facilitator that does not know the scheme: offered once it did', unlisted);
  await check('a chain that is silent for minutes: served, then 503, then served', silent, 2 * STALE_WAIT_MS);
}

function dead() {
  return withChannels({ name: 'channels_dead', limits: LIMITS }, async (server) => {
    const customer = await Customer.open(server);
    const newcomer = await Customer.make(server);
    const header = x402Header(await newcomer.channel.deposit(DEPOSIT, PRICE));
    const path = fresh();
    await withFaults({ down: 1 }, async () => {
      for (let count = 0; count < PAYMENTS_OF_AN_OUTAGE; count += 1) await customer.pay();
      assertBusy(await newcomer.shop.get(path, [header]));
      assertBusy(await customer.askBack(100_000));
      await sleep(15_000);
      // The exact offer may be gone by now; who has a channel still finds it.
      assert.ok(channelOffer(await customer.shop.unpaid(fresh())), 'channels are not offered');
    });
    assert.equal((await newcomer.onChain()).balance, 0n);
  });
}

function deadAtStart() {
  return withChannels({ name: 'channels_dead_start', limits: LIMITS }, async (server) => {
    const customer = await Customer.open(server);
    await setFaults({ down: 1 });
    await server.restart({ rails: [] });
    await untilChannels(server);
    await customer.pay();
    await clearFaults();
    await customer.pay();
  });
}

function feigned() {
  return withChannels({ name: 'channels_feigned', limits: LIMITS }, async (server) => {
    const customer = await Customer.make(server);
    const path = fresh();
    const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
    assertBusy(await withFaults({ settle: 'feign' }, () => customer.shop.get(path, [header])));
    assertBusy(await customer.shop.get(path, [header]));
    assert.equal((await customer.onChain()).balance, 0n);
  });
}

function feignedRefund() {
  return withChannels({ name: 'channels_feigned_refund', limits: LIMITS }, async (server) => {
    const customer = await Customer.open(server);
    const answer = await withFaults({ settle: 'feign', only: 'refund' }, () => customer.askBack(100_000));
    assertBusy(answer);
    assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT));
  });
}

function neverCame() {
  const limits = { ...LIMITS, offer_ttl_s: OFFER_TTL_S };
  return withChannels({ name: 'channels_never', limits }, async (server) => {
    const customer = await Customer.make(server);
    const path = fresh();
    const first = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
    assertBusy(await withFaults({ settle: 'reset' }, () => customer.shop.get(path, [first])));
    const began = Date.now();
    let answer;
    for (; Date.now() - began < STALE_WAIT_MS; await sleep(PATIENCE_MS)) {
      // Each time another one, as clients make them; more than 20 a minute would be too many.
      const next = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
      answer = await customer.shop.get(path, [next]);
      if (answer.status === 200) break;
      assertBusy(answer);
    }
    assertPaid(answer);
    assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT));
    return `after ${Math.round((Date.now() - began) / 1_000)} s`;
  });
}

async function offersChannels(server) {
  await sleep(NOT_OFFERED_MS);
  return Boolean(channelOffer(await new Shop(server).unpaid(fresh())));
}

async function noContracts() {
  const code = await rpc('eth_getCode', [CHANNELS, 'latest']);
  const server = await Server.make({
    name: 'channels_no_code',
    rails: ['base'],
    channels: {},
    limits: LIMITS,
  });
  await rpc('anvil_setCode', [CHANNELS, '0x']);
  try {
    await server.start();
    assert.equal(await offersChannels(server), false, 'channels without a contract');
  } finally {
    await rpc('anvil_setCode', [CHANNELS, code]);
  }
  await untilChannels(server, STALE_WAIT_MS);
  await (await Customer.open(server)).pay();
  await server.stop();
}

async function unlisted() {
  const server = await Server.make({
    name: 'channels_unlisted',
    rails: ['base'],
    channels: {},
    limits: LIMITS,
  });
  const hidden = { unlisted: 'batch-settlement' };
  await withFaults(hidden, async () => {
    await server.start();
    assert.equal(await offersChannels(server), false, 'channels that nobody settles');
  });
  await untilChannels(server, STALE_WAIT_MS);
  const customer = await Customer.open(server);
  await withFaults(hidden, async () => {
    await server.restart();
    await untilChannels(server);
    await customer.pay();
  });
  await server.stop();
}

async function silent() {
  const server = await Server.make({
    name: 'channels_silent',
    rails: ['base'],
    channels: {},
    limits: LIMITS,
  });
  await server.start();
  await untilChannels(server);
  const customer = await Customer.open(server);
  const began = Date.now();
  let served = 0;
  let stopped;
  chains.base.kill('SIGSTOP');
  try {
    for (; Date.now() - began < STALE_WAIT_MS; await sleep(2_000)) {
      const header = await customer.voucher(customer.charged + PRICE);
      const answer = await customer.shop.get(fresh(), [header]);
      if (answer.status === 503) {
        assertBusy(answer);
        stopped = Date.now() - began;
        break;
      }
      assertPaid(answer);
      customer.charged += PRICE;
      served = Date.now() - began;
    }
  } finally {
    chains.base.kill('SIGCONT');
  }
  assert.ok(stopped, `still served after ${STALE_WAIT_MS} ms without a word of the chain`);
  assert.ok(served > 80_000, `served for ${served} ms only`);
  assert.ok(stopped < 160_000, `served for ${served} ms`);
  const path = fresh();
  const header = await customer.voucher(customer.charged + PRICE);
  assertPaid(await new Shop(server).persist(path, header));
  await server.stop();
  return `served for ${Math.round(served / 1000)} s`;
}
