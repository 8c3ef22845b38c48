// Clients that go away while they pay. Before the settlement nothing is charged; once it has begun it ends
// without them, and the answer waits for the payment to be sent again.

import assert from 'node:assert/strict';
import { settleCalls, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { basePayer, mppEvm, mppHeader, x402Base, x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertPaid, assertSame, takes, takesNothing } from '../../lib/shop.mjs';
import { received, sleep } from '../../rig/chain.mjs';

const PRICE = BigInt(PRICES.shopper);
const DELAY_MS = 1_500;
const CUT_MS = 500;

export async function run(shop) {
  const kinds = {
    x402: async (unpaid) => x402Header(await x402Base(unpaid, await basePayer())),
    'MPP evm': async (unpaid) => mppHeader(await mppEvm(unpaid.challenges.evm, await basePayer())),
  };
  for (const [name, pay] of Object.entries(kinds)) {
    await check(`${name}: gone while it is verified`, () => beforeSettlement(shop, pay));
    await check(`${name}: gone while it settles`, () => duringSettlement(shop, pay));
    await check(`${name}: gone at any moment`, () => atAnyMoment(shop, pay));
  }
}

async function beforeSettlement(shop, pay) {
  const path = fresh();
  const header = await pay(await shop.unpaid(path));
  const calls = await settleCalls();
  await takesNothing(() =>
    withFaults({ verifyDelay: DELAY_MS }, async () => {
      await shop.get(path, [header], { cutAfterMs: CUT_MS });
      await sleep(2 * DELAY_MS);
    }),
  );
  assert.equal(await settleCalls(), calls, 'settled for nobody');
  await takes({ base: PRICE }, async () => assertPaid(await shop.persist(path, header)));
}

async function duringSettlement(shop, pay) {
  const path = fresh();
  const header = await pay(await shop.unpaid(path));
  const calls = await settleCalls();
  await takes({ base: PRICE }, async () => {
    await withFaults({ settleDelay: DELAY_MS }, async () => {
      await shop.get(path, [header], { cutAfterMs: CUT_MS });
      await sleep(DELAY_MS);
    });
    const answer = assertPaid(await shop.persist(path, header));
    assertSame(await shop.get(path, [header]), answer);
  });
  assert.equal(await settleCalls(), calls + 1, 'settled more than once');
}

/** However early or late the client goes: no answer and no charge, or both, and both in the end. */
async function atAnyMoment(shop, pay) {
  for (const cutAfterMs of [1, 3, 6, 10, 15, 20, 30, 45, 60, 90]) {
    const path = fresh();
    const header = await pay(await shop.unpaid(path));
    const before = await received();
    await shop.get(path, [header], { cutAfterMs });
    assertPaid(await shop.persist(path, header));
    assert.equal((await received()).base - before.base, PRICE, `cut after ${cutAfterMs} ms`);
  }
}
