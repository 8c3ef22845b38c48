// Attacks, accidents and faults. Every part has a server and payers of its own where it needs them; the price
// of a payment and what the chains moved are looked at in each.

import { check } from '../lib/harness.mjs';
import { Server } from '../lib/server.mjs';
import { Shop } from '../lib/shop.mjs';
import { growth, received, startClocks } from '../rig/chain.mjs';
import assert from 'node:assert/strict';

const PARTS = [
  'stale',
  'terms',
  'headers',
  'uncharged',
  'races',
  'front_run',
  'solana',
  'tempo',
  'disconnects',
  'faults',
];
const OFFER_TTL_S = 20;

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
  }
  for (const last of atTheEnd) await last?.();
  await check('the ledger holds what the chains moved', async () => {
    assert.deepEqual(await server.takings(), await growth(atFirst));
  });
  await server.stop();
  const outages = await import('./abuse/outages.mjs');
  await outages.run();
}
