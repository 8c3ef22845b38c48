// Rails that go away and come back. Each case has a server of its own: a withdrawn rail would disturb the
// others.

import assert from 'node:assert/strict';
import {
  BASE_FACILITATOR,
  clearFaults,
  setFaults,
  SOLANA_FACILITATOR,
  withFaults,
} from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { basePayer, mppEvm, mppHeader, x402Base, x402Header } from '../../lib/payers.mjs';
import { offered, PRICES, Server } from '../../lib/server.mjs';
import { assertBusy, assertPaid, Shop, takes, takesNothing } from '../../lib/shop.mjs';

const PRICE = BigInt(PRICES.shopper);
const TRIES_MAX = 12;
const BACK_WAIT_MS = 90_000;
const LIMITS = { offer_ttl_s: 20, verify_timeout_ms: 1_000, settle_timeout_ms: 3_000, chain_look_ms: 1_000 };

export async function run() {
  await check('a facilitator that says settled and does nothing: no answer, rail withdrawn', feigned);
  await check('a facilitator that says settled and names another’s transaction', feignedWithAnother);
  await check('a facilitator that verifies nothing: no answer for a payer without money', unseen);
  await check('a facilitator that goes down: its rail is withdrawn, and comes back', goesDown);
  await check(
    'a facilitator that is down at the start: its rail is not offered, until it is up',
    downAtStart,
  );
  await check('no rail at all: 503 without a challenge', noRail);
}

async function withServer(options, run) {
  const server = await Server.make({ limits: LIMITS, ...options });
  try {
    return await run(new Shop(server), server);
  } finally {
    await clearFaults(BASE_FACILITATOR);
    await clearFaults(SOLANA_FACILITATOR);
    if (server.process) await server.stop();
  }
}

function feigned() {
  return withServer({ name: 'feigned' }, async (shop, server) => {
    await server.start();
    const path = fresh();
    const header = x402Header(await x402Base(await shop.unpaid(path), await basePayer()));
    await takesNothing(async () => {
      assertBusy(await withFaults({ settle: 'feign' }, () => shop.get(path, [header])));
      assertBusy(await shop.get(path, [header]));
      assert.deepEqual(offered(await shop.unpaid(fresh())), ['solana', 'tempo']);
      assert.deepEqual(await server.takings(), {});
    });
  });
}

function feignedWithAnother() {
  return withServer({ name: 'feigned_with_another' }, async (shop, server) => {
    await server.start();
    const payer = await basePayer();
    const [path, other] = [fresh(), fresh()];
    const header = x402Header(await x402Base(await shop.unpaid(path), payer));
    const { transaction } = await takes({ base: PRICE }, async () =>
      assertPaid(await shop.get(path, [header])),
    );
    const unpaid = x402Header(await x402Base(await shop.unpaid(other), payer));
    await takesNothing(async () => {
      assertBusy(await withFaults({ settle: 'feign', transaction }, () => shop.get(other, [unpaid])));
      assert.deepEqual(await server.takings(), { base: PRICE });
    });
  });
}

function unseen() {
  return withServer({ name: 'unseen' }, async (shop, server) => {
    await server.start();
    const path = fresh();
    const header = mppHeader(await mppEvm((await shop.unpaid(path)).challenges.evm, await basePayer(1)));
    await takesNothing(async () => {
      const answer = await withFaults({ verify: 'feign' }, () => shop.get(path, [header]));
      assert.ok([402, 503].includes(answer.status), String(answer));
      assert.deepEqual(await server.takings(), {});
    });
  });
}

function goesDown() {
  return withServer({ name: 'goes_down' }, async (shop, server) => {
    await server.start();
    await setFaults({ down: 1 });
    const payer = await basePayer();
    let presented = 0;
    await takesNothing(async () => {
      for (; presented < TRIES_MAX; presented += 1) {
        const path = fresh();
        const unpaid = await shop.unpaid(path);
        if (!offered(unpaid).includes('base')) break;
        assertBusy(await shop.get(path, [x402Header(await x402Base(unpaid, payer))]));
      }
    });
    assert.deepEqual(offered(await shop.unpaid(fresh())), ['solana', 'tempo'], `after ${presented} payments`);
    await clearFaults();
    await server.untilOffered(['base', 'solana', 'tempo'], BACK_WAIT_MS);
    const path = fresh();
    const header = x402Header(await x402Base(await shop.unpaid(path), payer));
    await takes({ base: PRICE }, async () => assertPaid(await shop.get(path, [header])));
    return `withdrawn after ${presented} payments`;
  });
}

function downAtStart() {
  return withServer({ name: 'down_at_start' }, async (shop, server) => {
    await setFaults({ down: 1 });
    await server.start({ rails: ['solana', 'tempo'] });
    await clearFaults();
    await server.untilOffered(['base', 'solana', 'tempo'], BACK_WAIT_MS);
  });
}

function noRail() {
  return withServer({ name: 'no_rail', rails: ['base'] }, async (shop, server) => {
    await setFaults({ down: 1 });
    await server.start({ rails: [] });
    assertBusy(await shop.get(fresh()));
    await clearFaults();
    await server.untilOffered(['base'], BACK_WAIT_MS);
    const path = fresh();
    const header = x402Header(await x402Base(await shop.unpaid(path), await basePayer()));
    await takes({ base: PRICE }, async () => assertPaid(await shop.get(path, [header])));
    // While it was up a payment was made: the server may be without a rail and still replays it.
    await setFaults({ down: 1 });
    await server.restart({ rails: [] });
    assertPaid(await shop.get(path, [header]));
    assertBusy(await shop.get(fresh()));
  });
}
