// Payment channels: official clients, the rules of vouchers, deposits, refunds, claims and withdrawals, attacks,
// faults and kills. What is expected is what the scheme's contracts and clients need and what the operator is
// promised; the chain's word is compared with the ledger's throughout.

import { assertSound } from '../lib/books.mjs';
import { beginGroup, check } from '../lib/harness.mjs';
import { Server } from '../lib/server.mjs';
import { Shop } from '../lib/shop.mjs';
import { startClocks } from '../rig/chain.mjs';
import { nothingLogged } from './abuse.mjs';
import { untilChannels } from './channels/servers.mjs';

// These share a server …
const PARTS = 'offers vouchers forged deposits refunds limits'.split(' ');
// … and these have servers of their own.
const OTHERS = 'config clients claims forced outages lag restarts sandbox kill'.split(' ');

export async function run() {
  startClocks();
  const server = await Server.make({ name: 'channels', channels: {} });
  await server.start();
  await untilChannels(server);
  const shop = new Shop(server);
  for (const name of PARTS) {
    beginGroup(name);
    const part = await import(`./channels/${name}.mjs`);
    await part.run(shop);
  }
  beginGroup('at the end');
  await check('the ledger has what the chain has, and its reports add up', () => assertSound(server));
  await check('no secret and no credential stands in the log', () => nothingLogged(shop));
  await server.stop();
  for (const name of OTHERS) {
    beginGroup(name);
    const part = await import(`./channels/${name}.mjs`);
    await part.run();
  }
}
