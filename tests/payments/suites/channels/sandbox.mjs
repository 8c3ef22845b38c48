// Channels in the sandbox: everything is checked, nothing moves.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { privateKeyToAccount } from 'viem/accounts';
import { Channel, channelOffer, randomSalt } from '../../lib/channels.mjs';
import { assertBelowClaimed, DEPOSIT, PRICE } from '../../lib/customers.mjs';
import { anyCalls } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { generatePrivateKey, x402Header } from '../../lib/payers.mjs';
import { run as runCommand } from '../../lib/processes.mjs';
import { Server } from '../../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, Shop, takesNothing } from '../../lib/shop.mjs';
import { SEPOLIA_NETWORK, SEPOLIA_USDC } from '../../rig/addresses.mjs';

const client = fileURLToPath(new URL('../../clients/x402_channel.mjs', import.meta.url));

export async function run() {
  const server = await Server.make({ name: 'channels_sandbox', mode: 'sandbox', channels: {} });
  server.channelKeys = {};
  await server.start();
  const shop = new Shop(server);
  await check('channels on Base Sepolia, last', () => offers(shop));
  await check('a deposit, vouchers, replays, corrections, a refund', () => pays(shop));
  await check('an unknown channel', () => unknown(shop));
  await check('npm @x402/evm', () => npm(shop));
  await check('nothing enters the ledger', async () => assert.deepEqual(await server.rows(), []));
  await server.stop();
}

async function offers(shop) {
  const { accepts } = (await shop.unpaid(fresh())).required;
  assert.deepEqual(
    accepts.map(({ scheme }) => scheme),
    ['exact', 'batch-settlement'],
  );
  const { network, asset } = accepts.at(-1);
  assert.deepEqual({ network, asset }, { network: SEPOLIA_NETWORK, asset: SEPOLIA_USDC });
}

const makeChannel = async (shop) =>
  new Channel(channelOffer(await shop.unpaid(fresh())), privateKeyToAccount(generatePrivateKey()));

function assertMarked({ settlement }) {
  assert.equal(settlement.success, true);
  assert.equal(settlement.transaction, '');
  assert.match(JSON.stringify(settlement), /"sandbox":true/);
}

async function pays(shop) {
  const channel = await makeChannel(shop);
  const calls = await anyCalls();
  await takesNothing(async () => {
    const path = fresh();
    const header = x402Header(await channel.deposit(DEPOSIT, PRICE));
    const first = assertPaid(await shop.get(path, [header]));
    assertMarked(first);
    assertSame(await shop.get(path, [header]), first);
    const second = assertPaid(await shop.get(fresh(), [x402Header(await channel.voucher(2 * PRICE))]));
    assertMarked(second);
    const { channelState } = second.settlement.extra;
    assert.equal(channelState.chargedCumulativeAmount, String(2 * PRICE));
    assert.equal(channelState.balance, String(DEPOSIT));
    assert.equal(channelState.totalClaimed, '0');
    const wrong = await shop.get(fresh(), [x402Header(await channel.voucher(2 * PRICE + 1))]);
    assertRefused(wrong, 'amount');
    assert.equal(wrong.required.accepts.length, 1);
    const refund = await shop.get(fresh(), [x402Header(await channel.refund(2 * PRICE, PRICE))]);
    assert.equal(refund.status, 200, String(refund));
    assertMarked(refund);
  });
  assert.equal(await anyCalls(), calls, 'the facilitator was asked');
}

async function unknown(shop) {
  const channel = await makeChannel(shop);
  assertBelowClaimed(await shop.get(fresh(), [x402Header(await channel.voucher(PRICE))]));
}

async function npm(shop) {
  const targets = Array.from({ length: 3 }, () => shop.server.publicUrl + fresh());
  const order = { targets, salt: randomSalt(), sepolia: true };
  const env = { KEY: generatePrivateKey(), ORDER: JSON.stringify(order) };
  const { stdout, output } = await runCommand(process.execPath, [client], { env });
  const lines = stdout.split('\n').filter((text) => text.startsWith('{'));
  assert.equal(lines.length, targets.length, output);
  for (const line of lines) assert.equal(JSON.parse(line).status, 200, output);
}
