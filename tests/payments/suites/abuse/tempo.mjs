// What is peculiar to Tempo: the server broadcasts the payer's own transaction, and the chain answers to a
// mined one, sent again, as if it were new.

import { check } from '../../lib/harness.mjs';
import { DEARER, fresh } from '../../lib/paths.mjs';
import { generatePrivateKey, mppHeader, mppTempo, tempoKey } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertPaid, assertRefused, assertSame, takes, takesNothing } from '../../lib/shop.mjs';
import { PATH_USD, STRANGER, TEMPO_RPC } from '../../rig/addresses.mjs';
import { rpc } from '../../rig/chain.mjs';
import { chains } from '../../rig/start.mjs';

const PRICE = BigInt(PRICES.shopper);
const HANG_WAIT_MS = 120_000;

export async function run(shop) {
  await check('Tempo: sent again, and on another request', () => again(shop));
  await check('Tempo: on another request before it is paid', () => otherRequest(shop));
  await check('Tempo: signed for less, for another payee, in another token', () => forged(shop));
  await check('Tempo: of another challenge of the same request', () => otherChallenge(shop));
  await check('Tempo: broadcast by the payer himself before it is presented', () => broadcastBefore(shop));
  await check('Tempo: a payer without money', () => poor(shop));
  await check('Tempo: a transaction that is cut short, edited or garbage', () => broken(shop));
  const path = fresh();
  const header = mppHeader(await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey()));
  await check('Tempo: the node hangs while the payment is broadcast', () => hangs(shop, { path, header }));
  return () => check('… and what became of that payment is said', () => unhangs(shop, { path, header }));
}

async function again(shop) {
  const path = fresh();
  const header = mppHeader(await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey()));
  await takes({ tempo: PRICE }, async () => {
    const answer = assertPaid(await shop.get(path, [header]));
    assertSame(await shop.get(path, [header]), answer);
    assertRefused(await shop.get(fresh(), [header]), 'payment_used');
    assertRefused(await shop.get(DEARER, [header]), 'payment_used');
  });
}

async function otherRequest(shop) {
  const [path, other] = [fresh(), fresh()];
  const credential = await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey());
  const { tempo } = (await shop.unpaid(other)).challenges;
  await takesNothing(async () => {
    assertRefused(await shop.get(other, [mppHeader(credential)]));
    assertRefused(await shop.get(other, [mppHeader({ ...credential, challenge: tempo })]));
  });
}

async function forged(shop) {
  const key = await tempoKey();
  await takesNothing(async () => {
    for (const asked of [{ amount: '1' }, { recipient: STRANGER }, { currency: PATH_USD }]) {
      const path = fresh();
      const { tempo } = (await shop.unpaid(path)).challenges;
      assertRefused(await shop.get(path, [mppHeader(await mppTempo(tempo, key, asked))]));
    }
  });
}

/** The memo ties a transfer to one challenge: nobody can present another's. */
async function otherChallenge(shop) {
  const path = fresh();
  const credential = await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey());
  const { tempo: own } = (await shop.unpaid(path)).challenges;
  await takesNothing(async () =>
    assertRefused(await shop.get(path, [mppHeader({ ...credential, challenge: own })])),
  );
  await takes({ tempo: PRICE }, async () => {
    assertPaid(await shop.get(path, [mppHeader(credential)]));
    assertRefused(await shop.get(path, [mppHeader({ ...credential, challenge: own })]));
  });
}

async function broadcastBefore(shop) {
  const path = fresh();
  const credential = await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey());
  await takes({ tempo: PRICE }, async () => {
    await rpc('eth_sendRawTransactionSync', [credential.payload.signature], TEMPO_RPC);
    const answer = assertPaid(await shop.persist(path, mppHeader(credential)));
    assertSame(await shop.get(path, [mppHeader(credential)]), answer);
  });
}

async function poor(shop) {
  const path = fresh();
  const { tempo } = (await shop.unpaid(path)).challenges;
  let credential;
  try {
    credential = await mppTempo(tempo, generatePrivateKey());
  } catch {
    return 'the client itself refuses to sign';
  }
  await takesNothing(async () => assertRefused(await shop.get(path, [mppHeader(credential)])));
}

/** Nobody can say what becomes of it while the node hangs. */
async function hangs(shop, { path, header }) {
  chains.tempo.kill('SIGSTOP');
  try {
    assertBusy(await shop.get(path, [header]));
  } finally {
    chains.tempo.kill('SIGCONT');
  }
}

/** What became of it is said afterwards; that the money agrees is seen when the books are balanced. */
async function unhangs(shop, { path, header }) {
  const answer = await shop.persist(path, header, HANG_WAIT_MS);
  if (answer.status === 200) assertSame(await shop.get(path, [header]), assertPaid(answer));
  else assertRefused(answer);
  return `then ${answer.status}`;
}

async function broken(shop) {
  const path = fresh();
  const credential = await mppTempo((await shop.unpaid(path)).challenges.tempo, await tempoKey());
  const { signature } = credential.payload;
  const changes = [
    signature.slice(0, -2),
    signature.slice(0, 20),
    `${signature}00`,
    `0x02${signature.slice(4)}`,
    '0x76',
    '0x',
    '0x76ffffffffffffffff',
  ];
  await takesNothing(async () => {
    for (const changed of changes) {
      const payload = { ...credential.payload, signature: changed };
      assertRefused(await shop.get(path, [mppHeader({ ...credential, payload })]));
    }
    const push = { type: 'hash', hash: `0x${'ab'.repeat(32)}` };
    assertRefused(await shop.get(path, [mppHeader({ ...credential, payload: push })]));
  });
}
