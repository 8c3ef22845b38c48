// Attacks, accidents and faults. Every part has a server and payers of its own where it needs them; the price
// of a payment and what the chains moved are looked at in each.

import assert from 'node:assert/strict';
import { check } from '../lib/harness.mjs';
import { Server } from '../lib/server.mjs';
import { Shop } from '../lib/shop.mjs';
import { growth, received, startClocks } from '../rig/chain.mjs';

// What has to wait until something runs out begins first, and ends last.
const PARTS = 'stale faults tempo terms headers uncharged races front_run solana disconnects'.split(' ');
const RAILS_BACK_MS = 60_000;
const OFFER_TTL_S = 20;
const LONG_BYTES = 100;

export async function run() {
  startClocks();
  const server = await Server.make({ name: 'abuse', limits: { offer_ttl_s: OFFER_TTL_S } });
  await server.start();
  const shop = new Shop(server);
  const atFirst = await received();
  const atTheEnd = [];
  for (const name of PARTS) {
    const part = await import(`./abuse/${name}.mjs`);
    atTheEnd.push(await part.run(shop));
    await server.untilOffered(server.rails, RAILS_BACK_MS);
  }
  for (const last of atTheEnd) await last?.();
  await check('the ledger holds what the chains moved', async () => {
    assert.deepEqual(await server.takings(), await growth(atFirst));
  });
  await check('no secret and no credential stands in the log', () => nothingLogged(shop));
  await server.stop();
  const outages = await import('./abuse/outages.mjs');
  await outages.run();
}

/** What was sent to this server is not in its log. */
export function nothingLogged(shop) {
  const texts = [];
  for (const value of shop.sent) {
    if (value.length < LONG_BYTES) continue;
    texts.push(value.slice(-LONG_BYTES));
    const signature = /"(?:signature|transaction)":"([^"]{80,})"/.exec(
      Buffer.from(value.split(' ').at(-1), 'base64'),
    );
    if (signature) texts.push(signature[1]);
  }
  assert.ok(texts.length > 100, 'hardly anything was sent');
  assert.deepEqual(shop.server.logged(texts), []);
  return `${texts.length} texts`;
}
