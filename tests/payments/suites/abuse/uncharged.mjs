// Valid payments on requests that take none: they are not charged, and still good afterwards.

import assert from 'node:assert/strict';
import { anyCalls } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { BAD_PARAMETERS, FREE, fresh, NOTHING_FOUND } from '../../lib/paths.mjs';
import { basePayer, mppEvm, mppHeader, x402Base, x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertPaid, assertSame, takes, takesNothing } from '../../lib/shop.mjs';

export async function run(shop) {
  const payer = await basePayer();
  const kinds = {
    x402: async (unpaid) => x402Header(await x402Base(unpaid, payer)),
    'MPP evm': async (unpaid) => mppHeader(await mppEvm(unpaid.challenges.evm, payer)),
  };
  for (const [name, pay] of Object.entries(kinds)) await unchargedWith(shop, name, pay);
  await check('a broken payment on a free route is ignored', async () => {
    const headers = [
      ['payment-signature', 'rubbish'],
      ['authorization', 'Payment rubbish'],
    ];
    assert.equal((await shop.get(FREE, headers)).status, 200);
  });
  await check('If-None-Match counts for a paid answer only', () => conditional(shop, kinds.x402));
}

async function unchargedWith(shop, name, pay) {
  const requests = {
    'HEAD of the right request': { method: 'HEAD', status: 402 },
    'a free route': { path: FREE, status: 200 },
    'a request that finds nothing': { path: NOTHING_FOUND, status: 404 },
    'a request with bad parameters': { path: BAD_PARAMETERS, status: 400 },
    'a route that is not there': { path: '/v1/nowhere', status: 404 },
    'another method': { method: 'POST', status: 405 },
  };
  for (const [what, { path, method, status }] of Object.entries(requests)) {
    await check(`${name}: ${what} is not charged, and the payment stays good`, async () => {
      const right = fresh();
      const header = await pay(await shop.unpaid(right));
      const calls = await anyCalls();
      await takesNothing(async () => {
        const answer = await shop.get(path ?? right, [header], { method });
        assert.equal(answer.status, status, String(answer));
        assert.equal(answer.settlement, undefined);
        assert.equal(answer.receipt, undefined);
      });
      assert.equal(await anyCalls(), calls, 'the facilitator was asked');
      await takes({ base: BigInt(PRICES.shopper) }, async () => assertPaid(await shop.get(right, [header])));
    });
  }
}

async function conditional(shop, pay) {
  const path = fresh();
  const header = await pay(await shop.unpaid(path));
  const condition = ['if-none-match', '*'];
  await takesNothing(async () => assert.equal((await shop.get(path, [condition])).status, 402));
  await takes({ base: BigInt(PRICES.shopper) }, async () => {
    const answer = assertPaid(await shop.get(path, [header, condition]));
    assertSame(await shop.get(path, [header]), answer);
    const tag = answer.header('etag');
    if (!tag) return;
    const again = await shop.get(path, [header, ['if-none-match', tag]]);
    assert.ok([200, 304].includes(again.status), String(again));
  });
}
