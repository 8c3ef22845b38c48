// Many copies of one payment at once: one transfer, one answer.

import assert from 'node:assert/strict';
import { BASE_FACILITATOR, settleCalls, SOLANA_FACILITATOR } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import {
  basePayer,
  mppEvm,
  mppHeader,
  mppTempo,
  tempoKey,
  x402Base,
  x402Header,
  x402Solana,
} from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, takes } from '../../lib/shop.mjs';
import { withBlocksOf } from '../../rig/chain.mjs';

const COPIES = 20;
const PRICE = BigInt(PRICES.shopper);
const SECONDS_PER_BLOCK = 2;

export async function run(shop) {
  const x402 = async (unpaid, payer) => x402Header(await x402Base(unpaid, payer));
  const mpp = async (unpaid, payer) => mppHeader(await mppEvm(unpaid.challenges.evm, payer));
  const onBase = { rail: 'base', facilitator: BASE_FACILITATOR };
  await check(`${COPIES} copies at once: x402 on Base`, () => copies(shop, onBase, basePayer, x402));
  await check(`${COPIES} copies at once: MPP evm`, () => copies(shop, onBase, basePayer, mpp));
  for (const [name, pay] of [
    ['x402 on Base', x402],
    ['MPP evm', mpp],
  ]) {
    await check(`${COPIES} copies at once, a block every 2 s: ${name}`, async () => {
      const payer = await basePayer();
      await withBlocksOf(SECONDS_PER_BLOCK, () => copies(shop, onBase, () => payer, pay));
    });
  }
  const onSolana = { rail: 'solana', facilitator: SOLANA_FACILITATOR };
  await check(`${COPIES} copies at once: x402 on Solana`, () =>
    copies(
      shop,
      onSolana,
      () => undefined,
      async (unpaid) => x402Header(await x402Solana(unpaid)),
    ),
  );
  await check(`${COPIES} copies at once: MPP tempo`, () =>
    copies(shop, { rail: 'tempo' }, tempoKey, async (unpaid, key) =>
      mppHeader(await mppTempo(unpaid.challenges.tempo, key)),
    ),
  );
  await check('one payment on two requests at once', () => twoRequests(shop));
  await check(`${COPIES} payments of one payer at once`, () => manyPayments(shop));
}

async function copies(shop, { rail, facilitator }, makePayer, pay) {
  const path = fresh();
  const payer = await makePayer();
  const header = await pay(await shop.unpaid(path), payer);
  const calls = facilitator && (await settleCalls(facilitator));
  const statuses = await takes({ [rail]: PRICE }, async () => {
    const answers = await all(COPIES, () => shop.get(path, [header]));
    const paid = answers.filter(({ status }) => status === 200);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assert.equal(answer.status, 409, `neither paid nor in progress: ${answer}`);
      assert.equal(answer.json.error.code, 'PAYMENT_IN_PROGRESS');
      assert.ok(answer.header('retry-after'), '409 without Retry-After');
    }
    assert.ok(paid.length >= 1, 'nobody was answered');
    const [first] = paid;
    for (const answer of paid) assertSame(answer, first);
    for (const answer of await all(COPIES, () => shop.get(path, [header]))) assertSame(answer, first);
    assert.equal((await shop.server.settledIn(first.transaction)).length, 1);
    return `${paid.length} × 200, ${COPIES - paid.length} × 409`;
  });
  if (facilitator) assert.equal(await settleCalls(facilitator), calls + 1, 'settled more than once');
  return statuses;
}

const all = (count, run) => Promise.all(Array.from({ length: count }, run));

async function twoRequests(shop) {
  const path = fresh();
  const header = x402Header(await x402Base(await shop.unpaid(path), await basePayer()));
  await takes({ base: PRICE }, async () => {
    const others = Array.from({ length: 5 }, fresh);
    const [answer, ...refused] = await Promise.all([path, ...others].map((each) => shop.get(each, [header])));
    assertPaid(answer);
    for (const each of refused) assertRefused(each);
  });
}

async function manyPayments(shop) {
  const payer = await basePayer(COPIES * PRICES.shopper);
  const requests = [];
  for (let index = 0; index < COPIES; index += 1) {
    const path = fresh();
    requests.push([path, x402Header(await x402Base(await shop.unpaid(path), payer))]);
  }
  await takes({ base: PRICE * BigInt(COPIES) }, async () => {
    const answers = await Promise.all(requests.map(([path, header]) => shop.get(path, [header])));
    answers.forEach((answer) => assertPaid(answer));
    assert.equal(
      new Set(answers.map(({ transaction }) => transaction)).size,
      COPIES,
      'one transaction for two answers',
    );
  });
}
