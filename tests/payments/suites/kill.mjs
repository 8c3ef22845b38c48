// The server is killed again and again, at random instants, while clients pay. Afterwards every payment that
// was ever signed is sent again: whose money moved gets his answer, the same one as before if he had one
// already; whose money did not move gets none; and the ledger adds up to what the chains moved.

import assert from 'node:assert/strict';
import { check } from '../lib/harness.mjs';
import { fresh } from '../lib/paths.mjs';
import {
  basePayer,
  mppEvm,
  mppHeader,
  mppTempo,
  tempoKey,
  x402Base,
  x402Header,
  x402Solana,
} from '../lib/payers.mjs';
import { random } from '../lib/random.mjs';
import { PRICES, Server } from '../lib/server.mjs';
import { assertRefused, assertSame, Shop } from '../lib/shop.mjs';
import { growth, received, sleep, startClocks, withBlocksOf } from '../rig/chain.mjs';

const ROUNDS = 8;
const WORKERS = 6;
const UP_MS_MIN = 150;
const UP_MS_MAX = 2_500;
const SECONDS_PER_BLOCK = 1;
const OFFER_TTL_S = 20;
const CHAIN_LOOK_MS = 2_500;
// What is unpaid by then stays unpaid: the promise names validBefore + 60 s, Solana's time is 180 s and a margin of 30.
const SETTLED_WAIT_MS = (OFFER_TTL_S + 60) * 1_000;
const SOLANA_WAIT_MS = 230_000;
const SEED = Number(process.env.PAYMENTS_SEED ?? 20261121);

export async function run() {
  startClocks();
  const limits = { offer_ttl_s: OFFER_TTL_S, chain_look_ms: CHAIN_LOOK_MS };
  const server = await Server.make({ name: 'kill', limits });
  await server.start();
  const atFirst = await received();
  const payments = [];
  await check(`killed ${ROUNDS} times under load (seed ${SEED})`, () => load(server, payments));
  const outcomes = new Map();
  const sendAgain = async () => {
    await Promise.all(
      payments.map(async (payment) => outcomes.set(payment, await conclude(server, payment))),
    );
    const paid = [...outcomes.values()].filter(({ status }) => status === 200).length;
    return `${paid} of ${payments.length} paid`;
  };
  await check(
    'every payment is sent again until it is settled or certainly is not',
    sendAgain,
    2 * SOLANA_WAIT_MS,
  );
  await check('who had an answer gets the same one', () => sameAnswers(outcomes));
  await check('every rail moved exactly what was answered, and the ledger says so', () =>
    addsUp(server, outcomes, atFirst),
  );
  await server.stop();
}

async function load(server, payments) {
  const payers = await Promise.all(Array.from({ length: WORKERS }, () => basePayer(1_000_000_000)));
  const next = random(SEED);
  const state = { over: false };
  await withBlocksOf(SECONDS_PER_BLOCK, async () => {
    const workers = payers.map((payer, index) => work(server, { payer, index, state, payments }));
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await sleep(UP_MS_MIN + next() * (UP_MS_MAX - UP_MS_MIN));
        await server.kill();
        await server.start({ rails: [] });
      }
      await sleep(UP_MS_MAX);
    } finally {
      state.over = true;
      await Promise.all(workers);
    }
  });
  assert.ok(payments.length >= 2 * ROUNDS, `only ${payments.length} payments were made`);
  const cut = payments.filter(({ cuts }) => cuts).length;
  assert.ok(cut, 'no payment was cut off');
  const answered = payments.filter(({ answers }) => answers.length).length;
  return `${payments.length} payments, ${cut} of them cut off, ${answered} answered before the end`;
}

const KINDS = [
  async (unpaid, payer) => ['base', x402Header(await x402Base(unpaid, payer))],
  async (unpaid, payer) => ['base', mppHeader(await mppEvm(unpaid.challenges.evm, payer))],
  async (unpaid) => ['solana', x402Header(await x402Solana(unpaid))],
  async (unpaid) => ['tempo', mppHeader(await mppTempo(unpaid.challenges.tempo, await tempoKey()))],
];

/** A client: asks, signs once, and presents that until it is answered, definitely refused, or given up. */
async function work(server, { payer, index, state, payments }) {
  const shop = new Shop(server);
  for (let turn = index; !state.over; turn += 1) {
    const path = fresh();
    const unpaid = await shop.get(path).catch(() => undefined);
    const pay = KINDS[turn % KINDS.length];
    const made = unpaid?.status === 402 && (await pay(unpaid, payer).catch(() => undefined));
    if (!made) {
      await sleep(50);
      continue;
    }
    const [rail, header] = made;
    const payment = { rail, path, header, answers: [], refusals: [], cuts: 0 };
    payments.push(payment);
    // Every other client gives up when the connection breaks: its payment is only sent again at the very end.
    const patience = turn % 2 ? Infinity : 0;
    while (!state.over && !payment.answers.length && !payment.refusals.length && payment.cuts <= patience) {
      const answer = await shop.get(path, [header]).catch(() => undefined);
      if (!answer) payment.cuts += 1;
      else if (answer.status === 200) payment.answers.push(answer);
      else if (answer.status === 402) payment.refusals.push(answer);
      if (answer?.status !== 200) await sleep(200);
    }
  }
}

/** The last word on a payment. */
async function conclude(server, { rail, path, header }) {
  const waitMs = rail === 'solana' ? SOLANA_WAIT_MS : SETTLED_WAIT_MS;
  let answer;
  for (const last = Date.now() + waitMs; Date.now() < last; await sleep(1_000)) {
    answer = await new Shop(server).get(path, [header]);
    if (answer.status === 200) return answer;
    // A 402 may be overtaken by money that is still on its way: it counts once nothing can come any more.
    if (answer.status !== 402) assert.ok([409, 503].includes(answer.status), String(answer));
    else if (rail !== 'solana' && Date.now() > last - 1_500) break;
    else if (rail === 'solana' && Date.now() > last - SOLANA_WAIT_MS + SETTLED_WAIT_MS) break;
  }
  assertRefused(answer);
  return answer;
}

function sameAnswers(outcomes) {
  for (const [{ answers, path }, outcome] of outcomes) {
    for (const answer of answers) {
      assert.equal(outcome.status, 200, `${path} was answered before: ${outcome}`);
      assertSame(outcome, answer);
    }
  }
}

async function addsUp(server, outcomes, atFirst) {
  const answered = {};
  for (const [{ rail }, outcome] of outcomes) {
    if (outcome.status === 200) answered[rail] = (answered[rail] ?? 0n) + BigInt(PRICES.shopper);
  }
  const moved = await growth(atFirst);
  assert.deepEqual(moved, answered, 'moved on the chains, and answered');
  assert.deepEqual(await server.takings(), moved, 'in the ledger, and moved on the chains');
  const transactions = [...outcomes.values()]
    .filter(({ status }) => status === 200)
    .map((each) => each.transaction);
  assert.equal(new Set(transactions).size, transactions.length, 'one transaction bought two answers');
  return JSON.stringify(Object.fromEntries(Object.entries(moved).map(([rail, sum]) => [rail, String(sum)])));
}
