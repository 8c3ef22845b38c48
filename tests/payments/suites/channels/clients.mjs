// Third-party clients over channels: npm and PyPI do the same, each through a proxy that sees what they send.

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateKeyToAccount } from 'viem/accounts';
import { Channel, channelOffer, initiateWithdraw, onChain, randomSalt } from '../../lib/channels.mjs';
import { FUNDS, PRICE } from '../../lib/customers.mjs';
import { withFaults } from '../../lib/faults.mjs';
import { Front } from '../../lib/front.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { fromBase64, generatePrivateKey } from '../../lib/payers.mjs';
import { freePorts, run as runCommand, WORK } from '../../lib/processes.mjs';
import { Server } from '../../lib/server.mjs';
import { Shop } from '../../lib/shop.mjs';
import { fundBase, received, sleep, tokensOf } from '../../rig/chain.mjs';
import { CLIENTS as EXACT_CLIENTS, pay as payExactly } from '../pay.mjs';
import { untilChannels } from './servers.mjs';

const folder = (name) => fileURLToPath(new URL(`../../clients/${name}`, import.meta.url));
const CLIENTS = {
  'npm @x402/evm': [process.execPath, folder('x402_channel.mjs')],
  'PyPI x402': [process.env.PAYMENTS_PYTHON, folder('pypi_x402_channel.py')],
};
const MANY = 200;
const AT_ONCE = 8;
const DEPOSIT = 1_000_000;
const SEEN_WAIT_MS = 75_000;

export async function run() {
  const [port] = await freePorts(1);
  const front = new Front(port);
  const server = await Server.make({ name: 'channel_clients', publicUrl: front.url, channels: {} });
  front.target = server.url;
  await server.start();
  await untilChannels(server);
  const world = { server, front, shop: new Shop(server) };
  for (const [name, command] of Object.entries(CLIENTS)) {
    await check(`${name}: ${MANY} requests, deposits and top-up`, () => many(world, command));
    await check(`${name}: restarted with and without its state`, () => restartedClient(world, command));
    await check(`${name}: the server is restarted`, () => restartedServer(world, command));
    await check(`${name}: a lost answer to a voucher`, () => lostAnswer(world, command, 'voucher'));
    await check(`${name}: a lost answer to a deposit`, () => lostAnswer(world, command, 'deposit'));
    await check(`${name}: ${AT_ONCE} requests at once on one channel`, () => atOnce(world, command));
    await check(`${name}: can pay both ways`, () => bothWays(world, command));
    await check(`${name}: a part back, everything back, and once more`, () => refunds(world, command));
    await check(`${name}: a withdrawal by force`, () => forced(world, command));
    await check(`${name}: a dead facilitator`, () => deadFacilitator(world, command));
  }
  for (const client of EXACT_CLIENTS) {
    await check(`${client.name}, beside channels`, () => payExactly(client, world));
  }
  await server.stop();
  front.close();
}

/** A payer with money, who can be run again and again. */
async function makePayer({ front, shop }, command) {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  await fundBase(account.address, FUNDS);
  const salt = randomSalt();
  const offer = channelOffer(await shop.unpaid(fresh()));
  const payer = { account, channel: new Channel(offer, account, { salt }) };
  payer.targets = (count) => Array.from({ length: count }, () => front.url + fresh());
  /** Runs the client: what it printed, and the payments that went through the proxy. */
  payer.run = async (order) => {
    front.take();
    const [program, ...args] = command;
    const env = { KEY: key, ORDER: JSON.stringify({ salt, targets: [], ...order }) };
    const { stdout, output } = await runCommand(program, args, { env, timeoutMs: 120_000 });
    const lines = stdout.split('\n').filter((text) => text.startsWith('{'));
    const payments = front.take().flatMap((exchange) => {
      const header = exchange.headers.find(([name]) => name.toLowerCase() === 'payment-signature');
      return header ? [{ ...exchange, header, payment: fromBase64(header[1]) }] : [];
    });
    assert.ok(lines.length, output);
    return { lines: lines.map((line) => JSON.parse(line)), payments, output };
  };
  return payer;
}

const chargedIn = ({ receipt }) => Number(receipt.extra.channelState.chargedCumulativeAmount);

/** Every request was answered, and each was charged its price after the one before. */
function assertAllPaid(lines, { before = 0, output = '' }) {
  lines.forEach((line, index) => {
    assert.equal(line.status, 200, `request ${index}: ${JSON.stringify(line)}\n${output}`);
    assert.equal(line.receipt.success, true);
    assert.equal(line.receipt.extra.chargedAmount, String(PRICE));
    assert.equal(chargedIn(line), before + (index + 1) * PRICE, `request ${index}`);
  });
}

const typesOf = (payments) => payments.map(({ payment }) => payment.payload.type);

async function many(world, command) {
  const payer = await makePayer(world, command);
  const before = await received();
  const { lines, payments, output } = await payer.run({ targets: payer.targets(MANY) });
  assert.equal(lines.length, MANY, output);
  assertAllPaid(lines, { output });
  const deposits = payments.filter(({ payment }) => payment.payload.type === 'deposit');
  const expected = Math.ceil((MANY * PRICE) / DEPOSIT);
  assert.equal(deposits.length, expected, 'deposits');
  assert.equal(payments.length, MANY, 'a payment was sent twice');
  assert.equal((await onChain(payer.channel)).balance, BigInt(expected * DEPOSIT));
  assert.equal((await received()).base, before.base, 'nothing is paid but by channel');
  return `${deposits.length} deposits`;
}

async function restartedClient(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const first = await payer.run({ targets: payer.targets(2), state });
  assertAllPaid(first.lines, first);
  const kept = await payer.run({ targets: payer.targets(2), state });
  assertAllPaid(kept.lines, { before: 2 * PRICE, output: kept.output });
  assert.deepEqual(typesOf(kept.payments), ['voucher', 'voucher']);
  // Without its state it reads the chain, is corrected once, and goes on.
  const forgot = await payer.run({ targets: payer.targets(2) });
  assertAllPaid(forgot.lines, { before: 4 * PRICE, output: forgot.output });
  assert.deepEqual(
    forgot.payments.map(({ answer }) => answer.status),
    [402, 200, 200],
  );
}

async function restartedServer(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const first = await payer.run({ targets: payer.targets(2), state });
  assertAllPaid(first.lines, first);
  await world.server.restart();
  await untilChannels(world.server);
  const then = await payer.run({ targets: payer.targets(3), state });
  assertAllPaid(then.lines, { before: 2 * PRICE, output: then.output });
}

/** The answer to the first payment of one kind is lost; the client is run again for the same request. */
async function lostAnswer(world, command, kind) {
  const { front } = world;
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  let charged = 0;
  if (kind === 'voucher') {
    const first = await payer.run({ targets: payer.targets(1), state });
    assertAllPaid(first.lines, first);
    charged = PRICE;
  }
  const [target] = payer.targets(1);
  let lost;
  front.loses = (exchange) => {
    const isPaid = exchange.headers.some(([name]) => name.toLowerCase() === 'payment-signature');
    if (!isPaid || lost) return false;
    lost = exchange.answer;
    return true;
  };
  const cut = await payer.run({ targets: [target], state });
  front.loses = () => false;
  assert.ok(cut.lines[0].error, `the client has an answer: ${cut.output}`);
  assert.equal(lost.status, 200, String(lost));
  const again = await payer.run({ targets: [target, ...payer.targets(1)], state });
  assert.deepEqual(
    again.lines.map(({ status }) => status),
    [200, 200],
    again.output,
  );
  const { answer } = again.payments.find(({ answer: { status } }) => status === 200);
  assert.ok(answer.body.equals(lost.body), 'another answer than the lost one');
  // It costs nothing twice.
  assert.equal(chargedIn(again.lines[1]), charged + 2 * PRICE);
  assert.equal((await onChain(payer.channel)).balance, BigInt(DEPOSIT), 'deposited twice');
}

async function atOnce(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const first = await payer.run({ targets: payer.targets(1), state });
  assertAllPaid(first.lines, first);
  const { lines, output } = await payer.run({ targets: payer.targets(AT_ONCE), state, parallel: true });
  const paid = lines.filter(({ status }) => status === 200);
  assert.ok(paid.length >= 1, output);
  for (const { status } of lines) assert.ok([200, 402, 503].includes(status), output);
  const sums = paid.map(chargedIn).sort((one, other) => one - other);
  assert.deepEqual(
    sums,
    paid.map((_, index) => (index + 2) * PRICE),
    'charged otherwise than answered',
  );
  // It finds its way back.
  const then = await payer.run({ targets: payer.targets(2), state });
  assertAllPaid(then.lines, { before: (paid.length + 1) * PRICE, output: then.output });
  return `${paid.length} of ${AT_ONCE} paid`;
}

async function bothWays(world, command) {
  const payer = await makePayer(world, command);
  const before = await received();
  const { lines, payments, output } = await payer.run({ targets: payer.targets(2), both: true });
  for (const { status } of lines) assert.equal(status, 200, output);
  const schemes = payments.map(({ payment }) => payment.accepted.scheme);
  assert.deepEqual(schemes, ['exact', 'exact'], 'the first offer that it can pay');
  assert.equal((await received()).base - before.base, BigInt(2 * PRICE));
}

async function refunds(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const [target] = payer.targets(1);
  const part = await payer.run({
    targets: payer.targets(3),
    state,
    refund: { target, amount: '300000' },
  });
  assertAllPaid(part.lines.slice(0, 3), part);
  assert.equal(part.lines[3].refund?.success, true, part.output);
  assert.equal(part.lines[3].refund.amount, '300000');
  const afterPart = await onChain(payer.channel);
  assert.equal(afterPart.balance, BigInt(DEPOSIT - 300_000));
  assert.equal(afterPart.claimed, BigInt(3 * PRICE));
  const then = await payer.run({ targets: payer.targets(1), state });
  assertAllPaid(then.lines, { before: 3 * PRICE, output: then.output });
  // Everything back, of another channel, by a client that has forgotten all.
  const other = await makePayer(world, command);
  const first = await other.run({ targets: other.targets(2) });
  assertAllPaid(first.lines, first);
  const all = await other.run({ refund: { target } });
  assert.equal(all.lines[0].refund?.success, true, all.output);
  assert.equal(await tokensOf(other.account.address), BigInt(FUNDS - 2 * PRICE));
  const { balance, claimed } = await onChain(other.channel);
  assert.deepEqual({ balance, claimed }, { balance: BigInt(2 * PRICE), claimed: BigInt(2 * PRICE) });
  const once = await other.run({ targets: other.targets(1) });
  assertAllPaid(once.lines, { before: 2 * PRICE, output: once.output });
  assert.deepEqual(typesOf(once.payments), ['deposit']);
}

async function forced(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const first = await payer.run({ targets: payer.targets(3), state });
  assertAllPaid(first.lines, first);
  await initiateWithdraw(payer.channel, DEPOSIT);
  for (const last = Date.now() + SEEN_WAIT_MS; Date.now() < last;) {
    if ((await onChain(payer.channel)).claimed === BigInt(3 * PRICE)) break;
    await sleep(500);
  }
  assert.equal((await onChain(payer.channel)).claimed, BigInt(3 * PRICE), 'what was sold is not claimed');
  const { lines, output } = await payer.run({ targets: payer.targets(1), state });
  assert.notEqual(lines[0].status, 200, output);
}

async function deadFacilitator(world, command) {
  const payer = await makePayer(world, command);
  const state = mkdtempSync(join(WORK, 'channel-state-'));
  const first = await payer.run({ targets: payer.targets(1), state });
  assertAllPaid(first.lines, first);
  await withFaults({ down: 1 }, async () => {
    const { lines, output } = await payer.run({ targets: payer.targets(5), state });
    assertAllPaid(lines, { before: PRICE, output });
    const newcomer = await makePayer(world, command);
    const refused = await newcomer.run({ targets: newcomer.targets(1) });
    assert.equal(refused.lines[0].status, 503, refused.output);
    assert.equal((await onChain(newcomer.channel)).balance, 0n);
    const refund = await payer.run({ state, refund: { target: payer.targets(1)[0] } });
    assert.ok(refund.lines[0].error, refund.output);
  });
  const then = await payer.run({ targets: payer.targets(1), state });
  assertAllPaid(then.lines, { before: 6 * PRICE, output: then.output });
}
