// What an unpaid request is shown of channels.

import assert from 'node:assert/strict';
import { channelOffer } from '../../lib/channels.mjs';
import { check } from '../../lib/harness.mjs';
import { DEARER, DEEP, fresh } from '../../lib/paths.mjs';
import { PRICES } from '../../lib/server.mjs';
import { BASE_NETWORK, PAY_TO, RECEIVER_AUTHORIZER, USDC } from '../../rig/addresses.mjs';

export async function run(shop) {
  await check('channels are one more offer of x402, the last one', () => lastOffer(shop));
  await check('each class of request has its price', () => prices(shop));
  await check('a quote names them', () => quote(shop));
}

async function lastOffer(shop) {
  const answer = await shop.unpaid(fresh());
  const schemes = answer.required.accepts.map(({ scheme }) => scheme);
  assert.deepEqual(schemes, ['exact', 'exact', 'batch-settlement']);
  assert.deepEqual(Object.keys(answer.challenges), ['tempo', 'evm'], 'MPP has its offers as before');
  assert.deepEqual(channelOffer(answer), {
    scheme: 'batch-settlement',
    network: BASE_NETWORK,
    amount: String(PRICES.shopper),
    asset: USDC,
    payTo: PAY_TO,
    maxTimeoutSeconds: shop.server.offerTtlS,
    extra: {
      name: 'USD Coin',
      version: '2',
      receiverAuthorizer: RECEIVER_AUTHORIZER,
      withdrawDelay: 900,
      minDeposit: '1000000',
    },
  });
  return `${answer.headerBytes} bytes of headers`;
}

async function prices(shop) {
  for (const [path, price] of [
    [fresh(), PRICES.shopper],
    [DEARER, PRICES.analyst],
    [DEEP, PRICES.deep],
  ]) {
    assert.equal(channelOffer(await shop.unpaid(path)).amount, String(price), path);
  }
}

async function quote(shop) {
  const answer = await shop.get(`${fresh()}&quote=true`);
  assert.equal(answer.status, 200, String(answer));
  const rail = answer.json.rails.find(({ method }) => method === 'batch-settlement');
  assert.deepEqual(rail, { protocol: 'x402', method: 'batch-settlement', network: BASE_NETWORK });
}
