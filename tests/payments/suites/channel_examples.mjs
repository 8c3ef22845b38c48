// The examples that pay on channels (docs/examples) do what they promise: one round trip for each answer, a lost
// answer repeated with its voucher and charged once, a restart that goes on, everything that is left given back.
// They run as they are, against a chain; what they send is seen by a proxy.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { assertSound, channelRows } from '../lib/books.mjs';
import { DEPOSIT, FUNDS, newAddress, PRICE } from '../lib/customers.mjs';
import { Front } from '../lib/front.mjs';
import { check } from '../lib/harness.mjs';
import { fromBase64, generatePrivateKey } from '../lib/payers.mjs';
import { freePorts, run as runCommand, start, WORK } from '../lib/processes.mjs';
import { Server } from '../lib/server.mjs';
import { BASE_NETWORK, BASE_RPC } from '../rig/addresses.mjs';
import { fundBase, sleep, startClocks, tokensOf } from '../rig/chain.mjs';
import { untilChannels } from './channels/servers.mjs';

const EXAMPLES = process.env.PAYMENTS_EXAMPLES;
// What an example asks for: so many answers over so many channels, and then one more.
const CHANNELS = 4;
const ANSWERS = 21;
// An example is killed once each of its channels has sold so many.
const SALES_BEFORE = 2;
const TIMEOUT_MS = 120_000;

/** The TypeScript example as a program; `undefined` where there is no compiler, and then it is not run. */
function typescript() {
  const compiler = process.env.PAYMENTS_TYPESCRIPT;
  if (!compiler) return undefined;
  const { ModuleKind, ScriptTarget, transpileModule } = createRequire(import.meta.url)(compiler);
  const source = readFileSync(join(EXAMPLES, 'typescript-x402', 'channels.ts'), 'utf8');
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  // Beside the packages, where Node.js looks for them.
  const program = join(WORK, 'payments', 'example_channels.mjs');
  writeFileSync(program, transpileModule(source, { compilerOptions, reportDiagnostics: true }).outputText);
  return [process.execPath, program];
}

export async function run() {
  startClocks();
  const [port] = await freePorts(1);
  const front = new Front(port);
  const server = await Server.make({
    name: 'channel_examples',
    rails: ['base'],
    publicUrl: front.url,
    channels: {},
  });
  front.target = server.url;
  await server.start();
  await untilChannels(server);
  const world = { server, front };
  const examples = {
    TypeScript: typescript(),
    Python: [process.env.PAYMENTS_PYTHON, join(EXAMPLES, 'python-x402', 'channels.py')],
  };
  for (const [name, command] of Object.entries(examples)) {
    if (!command) {
      console.log(`SKIPPED: the example in ${name} (its compiler could not be installed)`);
      continue;
    }
    await check(`${name}: each answer in one round trip, and the rest back`, () => pays(world, command));
    await check(`${name}: answers that are lost on the way`, () => loses(world, command));
    await check(`${name}: killed, and started again`, () => isKilled(world, command, { keepsState: true }));
    await check(`${name}: killed, and started again without its state`, () =>
      isKilled(world, command, { keepsState: false }),
    );
  }
  await check('the ledger has what the chain has, and its reports add up', () => assertSound(server));
  await server.stop();
  front.close();
}

const newState = () => mkdtempSync(join(WORK, 'example-state-'));

/** A payer with money, and what an example needs to know to pay as him. */
async function makePayer({ front }) {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  await fundBase(address, FUNDS);
  // Channels that are new are counted by address.
  front.client = newAddress();
  front.take();
  const env = {
    PAYER_KEY: key,
    PRICEBOOK_URL: front.url,
    NETWORK: BASE_NETWORK,
    RPC_URL: BASE_RPC,
    STATE: newState(),
  };
  return { address, env };
}

/** The payment that a request carried, if it did. */
function paymentOf(exchange) {
  const header = exchange.headers.find(([name]) => name.toLowerCase() === 'payment-signature');
  return header && fromBase64(header[1]);
}

const isSale = (exchange) => {
  const payment = paymentOf(exchange);
  return payment !== undefined && payment.payload.type !== 'refund';
};

/** What went through the proxy, by kind; what was bought is counted once, however often it was answered. */
function sent({ front }) {
  const seen = front.take();
  const kinds = { asked: 0, deposit: 0, voucher: 0, refund: 0, corrected: 0 };
  const bought = new Set();
  for (const exchange of seen) {
    const payment = paymentOf(exchange);
    kinds[payment?.payload.type ?? 'asked'] += 1;
    if (!isSale(exchange)) continue;
    if (exchange.answer.status === 402) kinds.corrected += 1;
    const { channelId, maxClaimableAmount } = payment.payload.voucher;
    if (exchange.answer.status === 200) bought.add(`${channelId}:${maxClaimableAmount}`);
  }
  return { kinds, bought: bought.size };
}

/** Runs an example to its end: it is answered, and gets back what it says it got. */
async function runExample([program, ...args], env) {
  const { code, stdout, output } = await runCommand(program, args, { env, timeoutMs: TIMEOUT_MS });
  assert.equal(code, 0, output);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines[0], `answers${' 200'.repeat(ANSWERS - 1)}`, output);
  assert.match(lines[1], /^one more in [0-9.]+ ms: 200 [0-9.]+$/, output);
  const back = lines.slice(2).map((line) => BigInt(/^given back (\d+)$/.exec(line)[1]));
  assert.equal(back.length, CHANNELS, output);
  return { back: back.reduce((sum, amount) => sum + amount, 0n), took: /[0-9.]+ ms/.exec(lines[1])[0] };
}

/** The payer paid for so many answers, has the rest again, and nothing is left in any channel. */
async function assertClosed({ server }, { address }, answers) {
  assert.equal(await tokensOf(address), BigInt(FUNDS - answers * PRICE), 'what the payer has again');
  const rows = [...(await channelRows(server)).values()];
  const own = rows.filter(({ payer }) => payer.toLowerCase() === address.toLowerCase());
  assert.equal(own.length, CHANNELS, 'channels');
  assert.equal(
    own.reduce((sum, { charged }) => sum + charged, 0n),
    BigInt(answers * PRICE),
    'charged',
  );
  for (const { id, balance, claimed } of own) assert.equal(balance, claimed, `something is left in ${id}`);
}

async function pays(world, command) {
  const payer = await makePayer(world);
  const { back, took } = await runExample(command, payer.env);
  const { kinds, bought } = sent(world);
  assert.equal(back, BigInt(CHANNELS * DEPOSIT - ANSWERS * PRICE));
  // It asks for the terms once for each channel to pay, and the library once more to get its money back.
  assert.deepEqual(kinds, {
    asked: 2 * CHANNELS,
    deposit: CHANNELS,
    voucher: ANSWERS - CHANNELS,
    refund: CHANNELS,
    corrected: 0,
  });
  assert.equal(bought, ANSWERS);
  await assertClosed(world, payer, ANSWERS);
  return took;
}

async function loses(world, command) {
  const { front } = world;
  const payer = await makePayer(world);
  // The first answer to a deposit and the first to a voucher.
  const lost = new Map();
  front.loses = (exchange) => {
    if (!isSale(exchange)) return false;
    const { type } = paymentOf(exchange).payload;
    if (lost.has(type)) return false;
    lost.set(type, exchange.answer.body);
    return true;
  };
  try {
    await runExample(command, payer.env);
  } finally {
    front.loses = () => false;
  }
  assert.deepEqual([...lost.keys()].sort(), ['deposit', 'voucher']);
  const { kinds, bought } = sent(world);
  assert.deepEqual(
    { deposit: kinds.deposit, voucher: kinds.voucher, corrected: kinds.corrected },
    { deposit: CHANNELS + 1, voucher: ANSWERS - CHANNELS + 1, corrected: 0 },
    'each lost answer was asked for once more',
  );
  assert.equal(bought, ANSWERS);
  await assertClosed(world, payer, ANSWERS);
}

async function isKilled(world, [program, ...args], { keepsState }) {
  const { front } = world;
  const payer = await makePayer(world);
  const sales = new Map();
  let victim;
  front.loses = (exchange) => {
    if (isSale(exchange)) {
      const { channelId } = paymentOf(exchange).payload.voucher;
      sales.set(channelId, (sales.get(channelId) ?? 0) + 1);
    }
    if (sales.size < CHANNELS || Math.min(...sales.values()) < SALES_BEFORE) return false;
    // Whatever comes after it is not heard either: the client is dead.
    victim.kill('SIGKILL');
    return true;
  };
  try {
    victim = start('killed_example', program, args, { env: payer.env });
    await victim.ended;
    // What it had sent is answered, to nobody.
    while (front.underway) await sleep(50);
  } finally {
    front.loses = () => false;
  }
  const first = sent(world);
  front.client = newAddress();
  assert.equal(first.kinds.deposit, CHANNELS, 'not all channels were open');
  const env = keepsState ? payer.env : { ...payer.env, STATE: newState() };
  await runExample([program, ...args], env);
  const { kinds, bought } = sent(world);
  assert.equal(kinds.deposit, 0, 'the money that lay there was enough');
  // Whoever knows nothing is told on each channel, else on those whose last answer was lost.
  if (!keepsState) assert.equal(kinds.corrected, CHANNELS);
  const isOnce = kinds.corrected >= 1 && kinds.corrected <= CHANNELS;
  assert.ok(isOnce, `corrected ${kinds.corrected} times`);
  // Nothing that was sold before is sold again but for more money.
  assert.equal(bought, ANSWERS);
  await assertClosed(world, payer, first.bought + bought);
  return `${first.bought} answers before, ${kinds.corrected} corrections`;
}
