// A node that is behind, as nodes behind a balancer are by turns: what it does not know yet is no fact, and what it
// still believes is none either.

import assert from 'node:assert/strict';
import { Customer, DEPOSIT, PRICE } from '../../lib/customers.mjs';
import { check } from '../../lib/harness.mjs';
import { LaggingNode } from '../../lib/lagging.mjs';
import { fresh } from '../../lib/paths.mjs';
import { x402Header } from '../../lib/payers.mjs';
import { freePorts } from '../../lib/processes.mjs';
import { assertBusy, assertPaid } from '../../lib/shop.mjs';
import { rpc, sleep } from '../../rig/chain.mjs';
import { withChannels } from './servers.mjs';

// Longer than the chain is left unasked at this delay.
const LOOKED_MS = 45_000;
const LIMITS = { verify_timeout_ms: 1_000, settle_timeout_ms: 3_000, chain_look_ms: 1_000 };

export async function run() {
  await check('a deposit that the node does not show yet: 503, never 402, then sold', depositUnseen);
  await check('a refund that the node does not show yet: nothing is sold for what is gone', refundUnseen);
  await check('a node that falls back behind a deposit: it is not forgotten', depositForgotten);
}

async function withLag(name, run) {
  const [port] = await freePorts(1);
  const node = new LaggingNode(port);
  try {
    return await withChannels({ name, limits: LIMITS, rpc: node.url }, (server) => run(server, node));
  } finally {
    node.close();
  }
}

function depositUnseen() {
  return withLag('lag_deposit', async (server, node) => {
    const customer = await Customer.make(server);
    const path = fresh();
    const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
    await node.fallBehind();
    for (let turn = 0; turn < 2; turn += 1) assertBusy(await customer.shop.get(path, [header]));
    assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT));
    node.catchUp();
    assertPaid(await customer.persist(path, header));
    Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
    await customer.pay();
    assert.equal((await customer.onChain()).balance, BigInt(DEPOSIT), 'deposited twice');
  });
}

function refundUnseen() {
  return withLag('lag_refund', async (server, node) => {
    const customer = await Customer.open(server);
    await customer.pay();
    const before = await rpc('eth_blockNumber');
    const answer = await customer.askBack();
    assert.equal(answer.status, 200, String(answer));
    // The node that is asked next has not heard of it: there all the money is still in the channel.
    node.fallBackTo(before);
    await sleep(LOOKED_MS);
    const header = await customer.voucher(customer.charged + PRICE);
    const sold = await customer.shop.get(fresh(), [header]);
    assert.ok([402, 503].includes(sold.status), `sold for money that is gone: ${sold}`);
    await server.kill();
    await server.start({ rails: [] });
    const again = await customer.shop.get(fresh(), [header]);
    assert.ok([402, 503].includes(again.status), `sold after a restart for money that is gone: ${again}`);
    return `${sold.status}, after a restart ${again.status}`;
  });
}

function depositForgotten() {
  return withLag('lag_forgotten', async (server, node) => {
    const customer = await Customer.make(server);
    const before = await rpc('eth_blockNumber');
    await customer.topUp(DEPOSIT);
    await customer.pay();
    node.fallBackTo(before);
    await sleep(LOOKED_MS);
    // A client that is told to deposit would deposit once more.
    const path = fresh();
    const header = await customer.voucher(customer.charged + PRICE);
    const answer = await customer.shop.get(path, [header]);
    assert.ok([200, 503].includes(answer.status), String(answer));
    node.catchUp();
    assertPaid(await customer.persist(path, header));
    return `answered ${answer.status}`;
  });
}
