// The sandbox: real clients pay on Base Sepolia, everything is verified, nothing is broadcast, nothing is
// earned.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { privateKeyToAccount } from 'viem/accounts';
import { check } from '../lib/harness.mjs';
import { fresh } from '../lib/paths.mjs';
import { authorize, mppEvm, mppHeader, x402Header } from '../lib/payers.mjs';
import { run as runCommand } from '../lib/processes.mjs';
import { offered, Server } from '../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, Shop, takesNothing } from '../lib/shop.mjs';
import { PAYER_KEY, SEPOLIA_DOMAIN, SEPOLIA_NETWORK } from '../rig/addresses.mjs';

const COPIES = 10;
const client = (name) => fileURLToPath(new URL(`../clients/${name}.mjs`, import.meta.url));
const payer = privateKeyToAccount(PAYER_KEY);

export async function run() {
  const server = await Server.make({ name: 'sandbox', mode: 'sandbox' });
  await server.start();
  const shop = new Shop(server);
  await check('only Base Sepolia is offered', () => offers(shop));
  const commands = {
    'npm @x402/fetch': ['x402_fetch', 'sepolia'],
    'npm mppx, x402': ['mppx_evm', 'x402', 'sepolia'],
    'npm mppx, MPP evm': ['mppx_evm', 'mpp', 'sepolia'],
  };
  for (const [name, command] of Object.entries(commands)) await check(name, () => pays(shop, command));
  await check('x402: answers once, then replays; the receipt is marked', () => replays(shop, x402));
  await check('MPP evm: answers once, then replays; the receipt is marked', () => replays(shop, mpp));
  await check(`${COPIES} copies at once get one answer`, () => copies(shop));
  await check('a payment on another request', () => otherRequest(shop));
  await check('what is signed is checked', () => forged(shop));
  await check('nothing enters the ledger of takings', async () =>
    assert.deepEqual(await server.takings(), {}),
  );
  await server.stop();
}

async function x402(unpaid, changes = {}) {
  const accepted = unpaid.required.accepts[0];
  const window = { validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds) };
  const terms = { to: accepted.payTo, value: accepted.amount, ...window, ...changes };
  const payload = await authorize(payer, terms, SEPOLIA_DOMAIN);
  return x402Header({
    x402Version: 2,
    resource: unpaid.required.resource,
    accepted,
    payload,
    extensions: {},
  });
}

async function mpp(unpaid) {
  const { evm } = unpaid.challenges;
  const made = await mppEvm(evm, payer);
  const { type, signature, ...authorization } = made.payload;
  const signed = await authorize(payer, authorization, SEPOLIA_DOMAIN);
  return mppHeader({ ...made, payload: { ...made.payload, signature: signed.signature } });
}

async function offers(shop) {
  const answer = await shop.unpaid(fresh());
  assert.deepEqual(offered(answer), ['base']);
  assert.deepEqual(
    answer.required.accepts.map(({ network }) => network),
    [SEPOLIA_NETWORK],
  );
  assert.deepEqual(Object.keys(answer.challenges), ['evm']);
  assert.equal(answer.header('payment-mode'), 'sandbox');
}

function pays(shop, [name, ...args]) {
  return takesNothing(async () => {
    const env = { TARGET: shop.server.publicUrl + fresh() };
    const { stdout, output } = await runCommand(process.execPath, [client(name), ...args], { env });
    const line = stdout.split('\n').find((text) => text.startsWith('{"status"'));
    assert.ok(line, output);
    const { status, receipt } = JSON.parse(line);
    assert.equal(status, 200, line);
    assertMarked(receipt);
  });
}

/** The receipt says that no money moved. */
function assertMarked(receipt) {
  assert.ok(receipt?.success === true || receipt?.status === 'success', JSON.stringify(receipt));
  if ('reference' in receipt) assert.match(receipt.reference, /^sandbox:/);
  else assert.equal(receipt.transaction, '');
  assert.match(JSON.stringify(receipt), /"sandbox":true/);
}

function replays(shop, pay) {
  return takesNothing(async () => {
    const path = fresh();
    const header = await pay(await shop.unpaid(path));
    const answer = assertPaid(await shop.get(path, [header]));
    assertMarked(answer.settlement ?? answer.receipt);
    assert.equal(answer.header('payment-mode'), 'sandbox');
    assertSame(await shop.get(path, [header]), answer);
  });
}

async function copies(shop) {
  const path = fresh();
  const header = await x402(await shop.unpaid(path));
  const answers = await Promise.all(Array.from({ length: COPIES }, () => shop.get(path, [header])));
  const paid = answers.filter(({ status }) => status === 200);
  assert.ok(paid.length);
  for (const answer of paid) assertSame(answer, paid[0]);
  for (const answer of answers) assert.ok([200, 409].includes(answer.status), String(answer));
}

async function otherRequest(shop) {
  const path = fresh();
  const header = await x402(await shop.unpaid(path));
  assertPaid(await shop.get(path, [header]));
  assertRefused(await shop.get(fresh(), [header]), 'payment_used');
}

async function forged(shop) {
  const path = fresh();
  const unpaid = await shop.unpaid(path);
  assertRefused(await shop.get(path, [await x402(unpaid, { value: '1' })]), 'amount', 'terms');
  assertRefused(
    await shop.get(path, [await x402(unpaid, { from: `0x${'11'.repeat(20)}` })]),
    'signature',
    'terms',
  );
}
