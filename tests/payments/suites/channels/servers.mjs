// Servers that a check has for itself.

import { channelOffer } from '../../lib/channels.mjs';
import { clearFaults } from '../../lib/faults.mjs';
import { Server } from '../../lib/server.mjs';
import { fresh } from '../../lib/paths.mjs';
import { send } from '../../lib/http.mjs';
import { sleep } from '../../rig/chain.mjs';

const OFFER_WAIT_MS = 30_000;

/** Waits until channels are offered. */
export async function untilChannels(server, waitMs = OFFER_WAIT_MS) {
  let answer;
  for (const last = Date.now() + waitMs; Date.now() < last; await sleep(100)) {
    answer = await send(server.url + fresh());
    if (channelOffer(answer)) return answer;
  }
  throw new Error(`no channels are offered within ${waitMs} ms; the unpaid answer is ${answer}`);
}

/** Runs something with a server on Base that has channels. */
export async function withChannels(options, run) {
  const server = await Server.make({ rails: ['base'], channels: {}, ...options });
  try {
    await server.start();
    await untilChannels(server);
    return await run(server);
  } finally {
    await clearFaults();
    if (server.process) await server.stop();
  }
}
