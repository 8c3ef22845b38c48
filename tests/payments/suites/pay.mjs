// Real clients pay. For each: the unpaid answer is right, the client signs once and gets its answer with a
// receipt, exactly one chain moves exactly the price, the ledger holds it, and the same credential buys
// nothing again.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Front } from '../lib/front.mjs';
import { check } from '../lib/harness.mjs';
import { DEARER, DEEP, FREE, fresh } from '../lib/paths.mjs';
import { tempoKey } from '../lib/payers.mjs';
import { freePorts, run as runCommand } from '../lib/processes.mjs';
import { offered, PRICES, Server } from '../lib/server.mjs';
import { assertPaid, assertSame, Shop, takes, takesNothing } from '../lib/shop.mjs';
import { BASE_RPC, PAYER_KEY } from '../rig/addresses.mjs';
import { growth, received, startClocks } from '../rig/chain.mjs';

const folder = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const PYTHON = process.env.PAYMENTS_PYTHON;

const node = (name, ...args) => [process.execPath, folder(`clients/${name}.mjs`), ...args];
const python = (name, ...args) => [PYTHON, folder(`clients/${name}.py`), ...args];

export const CLIENTS = [
  { name: 'x402 on Base, npm @x402/fetch', rail: 'base', protocol: 'x402', command: node('x402_fetch') },
  { name: 'x402 on Base, PyPI x402', rail: 'base', protocol: 'x402', command: python('pypi_x402') },
  { name: 'x402 on Base, npm mppx', rail: 'base', protocol: 'x402', command: node('mppx_evm', 'x402') },
  { name: 'x402 on Solana, npm @x402/svm', rail: 'solana', protocol: 'x402', command: node('x402_svm') },
  { name: 'MPP evm, npm mppx', rail: 'base', protocol: 'mpp', command: node('mppx_evm', 'mpp') },
  {
    name: 'MPP evm, npm mppx that is shown both',
    rail: 'base',
    protocol: 'mpp',
    command: node('mppx_evm', 'both'),
  },
  { name: 'MPP evm, PyPI pympp', rail: 'base', protocol: 'mpp', command: python('pypi_pympp', 'evm') },
  { name: 'MPP tempo, npm mppx', rail: 'tempo', protocol: 'mpp', command: node('mppx_tempo') },
  { name: 'MPP tempo, PyPI pympp', rail: 'tempo', protocol: 'mpp', command: python('pypi_pympp', 'tempo') },
];

export async function run() {
  startClocks();
  const [port] = await freePorts(1);
  const front = new Front(port);
  const server = await Server.make({ name: 'pay', publicUrl: front.url });
  front.target = server.url;
  await server.start();
  const shop = new Shop(server);
  const atFirst = await received();
  await check('an unpaid request is shown both protocols and all rails', () => unpaid(shop));
  await check('each class of request has its price', () => prices(shop));
  await check('a free request is free', () => free(shop));
  for (const client of CLIENTS) await check(client.name, () => pay(client, { server, shop, front }));
  await check('npm mppx validate finds no fault', () => validate(front));
  await check('the ledger holds what the chains moved', () => ledgerAgrees(server, atFirst));
  await server.stop();
  front.close();
}

async function unpaid(shop) {
  const path = fresh();
  const answer = await shop.unpaid(path);
  assert.deepEqual(offered(answer), ['base', 'solana', 'tempo']);
  assert.deepEqual(Object.keys(answer.challenges), ['tempo', 'evm']);
  const families = answer.required.accepts.map(({ network }) => network.split(':')[0]);
  assert.deepEqual(families, ['eip155', 'solana']);
  assert.equal(answer.required.resource.url.split('?')[0], shop.server.publicUrl + path.split('?')[0]);
  assert.equal(answer.header('payment-mode'), 'live');
  const again = await shop.unpaid(path);
  assert.notEqual(answer.challenges.evm.id, again.challenges.evm.id, 'two challenges have one id');
  assert.notEqual(answer.challenges.tempo.id, again.challenges.tempo.id, 'two challenges have one id');
  return `${answer.headerBytes} bytes of headers`;
}

async function prices(shop) {
  for (const [path, price] of [
    [fresh(), PRICES.shopper],
    [DEARER, PRICES.analyst],
    [DEEP, PRICES.deep],
  ]) {
    const { required, challenges } = await shop.unpaid(path);
    const amounts = required.accepts.map(({ amount }) => amount);
    for (const { request } of Object.values(challenges)) {
      amounts.push(JSON.parse(Buffer.from(request, 'base64url')).amount);
    }
    assert.deepEqual(amounts, Array(4).fill(String(price)), path);
  }
}

async function free(shop) {
  const answer = await shop.get(FREE);
  assert.equal(answer.status, 200);
  assert.equal(answer.required, undefined);
}

/** A client pays once: what it is answered, what moves on the chains, what is booked, and what a copy gets. */
export async function pay({ rail, protocol, command }, { server, shop, front }) {
  const path = fresh();
  await shop.unpaid(path);
  const key = rail === 'tempo' ? await tempoKey() : PAYER_KEY;
  const env = { TARGET: front.url + path, KEY: key };
  const before = await received();
  front.take();
  const [program, ...args] = command;
  const { stdout, output } = await runCommand(program, args, { env });
  const exchanges = front.take();
  const line = stdout.split('\n').find((text) => text.startsWith('{"status"'));
  assert.ok(line, `no result:\n${output}\nand the server said: ${exchanges.map((each) => each.answer)}`);
  const { status, receipt } = JSON.parse(line);
  assert.equal(status, 200, line);
  assert.ok(receipt?.success === true || receipt?.status === 'success', `no receipt: ${line}`);
  assert.deepEqual(await growth(before), { [rail]: BigInt(PRICES.shopper) }, 'received on the chains');

  const paid = exchanges.filter(({ headers }) => credentialOf(headers));
  assert.equal(paid.length, 1, 'requests with a payment');
  const [{ headers, answer }] = paid;
  assertPaid(answer);
  await assertBooked(server, answer, { rail, protocol, path });

  // Again as it was sent, and again by somebody who asks for no content coding.
  await takesNothing(async () => {
    assertSame(await shop.get(path, withoutHost(headers)), answer);
    const plain = assertPaid(await shop.get(path, [credentialOf(headers)]));
    assert.deepEqual(Object.keys(plain.json).slice(0, 1), ['query']);
  });
}

const credentialOf = (headers) =>
  headers.find(
    ([name, value]) =>
      name.toLowerCase() === 'payment-signature' ||
      (name.toLowerCase() === 'authorization' && value.startsWith('Payment ')),
  );

const withoutHost = (headers) =>
  headers.filter(([name]) => !['host', 'connection', 'keep-alive'].includes(name.toLowerCase()));

async function assertBooked(server, answer, { rail, protocol, path }) {
  const rows = await server.settledIn(answer.transaction);
  assert.equal(rows.length, 1, `rows of ${answer.transaction}: ${JSON.stringify(rows)}`);
  const [row] = rows;
  assert.equal(row.rail, rail);
  assert.equal(row.protocol, protocol);
  assert.equal(row.endpoint, path.split('?')[0]);
  assert.equal(BigInt(row.amount_atomic), BigInt(PRICES.shopper));
  for (const field of ['settled_at', 'payer', 'asset', 'key'])
    assert.ok(row[field], `the row has no ${field}`);
}

async function validate(front) {
  const mppx = fileURLToPath(new URL('../node_modules/mppx/dist/bin.js', import.meta.url));
  const url = new URL(front.url + fresh());
  const query = [...url.searchParams].flatMap(([name, value]) => ['--query', `${name}=${value}`]);
  const args = [mppx, 'validate', url.origin, '-e', `GET:${url.pathname}`, ...query, '--yes'];
  const env = { MPPX_RPC_URL: BASE_RPC, MPPX_PRIVATE_KEY: PAYER_KEY };
  return takes({ base: BigInt(PRICES.shopper) }, async () => {
    const { output } = await runCommand(process.execPath, args, { env });
    const line = /Summary: .*/.exec(output)?.[0] ?? '';
    assert.ok(/ passed/.test(line) && !/[1-9]\d* failed/.test(line), output.slice(-6_000));
    return line;
  });
}

async function ledgerAgrees(server, atFirst) {
  const rows = (await server.rows()).filter(({ state }) => state === 'settled');
  assert.equal(
    new Set(rows.map(({ transaction }) => transaction)).size,
    rows.length,
    'a transaction stands twice',
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length, 'a key stands twice');
  assert.deepEqual(await server.takings(), await growth(atFirst));
  return `${rows.length} payments`;
}
