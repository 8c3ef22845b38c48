// Ledgers that are carried on, lost, restored, or used by two: a voucher is sold once for each ledger that knows it,
// and a ledger is one server's.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { assertBooks, channelRows } from '../../lib/books.mjs';
import { channelOffer } from '../../lib/channels.mjs';
import {
  assertBelowClaimed,
  assertCorrective,
  assertGone,
  assertUnknown,
  Customer,
  newAddress,
  DEPOSIT,
  PRICE,
} from '../../lib/customers.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { generatePrivateKey } from '../../lib/payers.mjs';
import { Server } from '../../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, Shop } from '../../lib/shop.mjs';
import { CHANNEL_KEY } from '../../rig/addresses.mjs';
import { sleep } from '../../rig/chain.mjs';
import { untilChannels, withChannels } from './servers.mjs';

const CLAIM_AT = 100_000;
// Then all but the last voucher is claimed.
const CLAIM_AT_TWO = 2 * PRICE;
const CLAIM_WAIT_MS = 45_000;
const REPLY_TTL_S = 60;
const REFUSES_MS = 20_000;

export async function run() {
  await check('after a restart: the kept answer, old vouchers, the next one', restarted);
  await check('a lost ledger: what was claimed opens nothing', lostLedger);
  await check('a restored backup: the chain tells what it missed', restored);
  await check('other prices: the corrective answer tells them', otherPrices);
  await check('an answer that is not kept any more: 410 with the receipt', expired);
  await check('two servers on one ledger: the second does not start', oneLedger);
  await check('two servers on two ledgers: the chain tells them of each other', twoLedgers);
  await check('another key: old channels are refused, and still claimed and refunded', otherKey);
  await check('a key that is gone while money is unclaimed: no start', keyGone);
}

function restarted() {
  return withChannels({ name: 'restarted' }, async (server) => {
    const customer = await Customer.open(server);
    await customer.pay();
    const older = customer.last;
    await customer.pay();
    const { path, header, answer } = customer.last;
    const signed = await customer.channel.signed(customer.charged);
    for (const stop of ['stop', 'kill']) {
      await server[stop]();
      await server.start();
      const again = await customer.persist(path, header);
      assertSame(again, answer);
      assert.deepEqual(again.settlement, answer.settlement);
      for (const each of [older.path, fresh()]) {
        const told = await customer.shop.get(each, [older.header]);
        assertCorrective(told, { customer, signed, reasons: ['amount', 'payment_used'] });
      }
    }
    await customer.pay();
    await assertBooks(server, [customer], { all: true });
  });
}

async function untilClaimed(customer) {
  for (const last = Date.now() + CLAIM_WAIT_MS; Date.now() < last; await sleep(500)) {
    const { claimed } = await customer.onChain();
    if (claimed >= BigInt(customer.charged - PRICE)) return Number(claimed);
  }
  throw new Error('nothing is claimed');
}

async function sell(customer, count) {
  const sold = [];
  for (let turn = 0; turn < count; turn += 1) {
    const header = await customer.voucher(customer.charged + PRICE);
    const path = fresh();
    assertPaid(await customer.shop.get(path, [header]));
    customer.charged += PRICE;
    sold.push({ path, header });
  }
  return sold;
}

/** The files of a ledger. */
function ledgerFiles({ ledger }) {
  const names = readdirSync(dirname(ledger)).filter((name) => name.startsWith(basename(ledger)));
  return names.map((name) => join(dirname(ledger), name));
}

function lostLedger() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'lost_ledger', channels }, async (server) => {
    const customer = await Customer.open(server);
    const sold = await sell(customer, 5);
    const claimed = await untilClaimed(customer);
    await server.stop();
    for (const file of ledgerFiles(server)) rmSync(file);
    await server.start();
    await untilChannels(server);
    for (const { path, header } of sold.slice(0, -1)) {
      assertBelowClaimed(await customer.persist(path, header));
    }
    // Who is ahead of it is sent to the chain: there is no voucher to show him.
    assertUnknown(await customer.shop.get(fresh(), [await customer.voucher(customer.charged + PRICE)]));
    // What was not claimed can be bought with once more: that is what a lost ledger costs.
    customer.charged = claimed;
    customer.chain = { claimed };
    const { path, header } = sold.at(-1);
    const again = await customer.shop.get(path, [header]);
    assertPaid(again);
    assert.equal(again.settlement.extra.channelState.totalClaimed, String(claimed));
    customer.charged += PRICE;
    await customer.pay();
    return `${claimed} claimed`;
  });
}

function restored() {
  const channels = { claim_at: CLAIM_AT_TWO };
  return withChannels({ name: 'restored', channels }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, 2);
    const backup = join(server.directory, 'backup.sqlite');
    const made = await server.command('ledger', 'backup', '--ledger', server.ledger, '--out', backup);
    assert.equal(made.code, 0, made.output);
    const sold = await sell(customer, 6);
    const claimed = await untilClaimed(customer);
    await server.stop();
    for (const file of ledgerFiles(server)) rmSync(file);
    copyFileSync(backup, server.ledger);
    await server.start();
    await untilChannels(server);
    for (const { path, header } of sold.slice(0, -1)) {
      assert.equal((await customer.persist(path, header)).status, 402, 'a claimed voucher bought again');
    }
    customer.charged = claimed;
    customer.chain = { claimed };
    await customer.pay();
    const rows = await channelRows(server);
    assert.equal(rows.get(customer.channel.id).charged, BigInt(customer.charged));
  });
}

function otherPrices() {
  return withChannels({ name: 'prices_before' }, async (server) => {
    const customer = await Customer.open(server);
    await customer.pay();
    const { path, header, answer } = customer.last;
    const next = await customer.voucher(customer.charged + PRICE);
    await server.stop();
    const price = 2 * PRICE;
    const { ledger } = server;
    await withChannels({ name: 'prices_after', ledger, prices: { shopper: price } }, async (dearer) => {
      customer.shop = new Shop(dearer, newAddress());
      assertSame(await customer.shop.get(path, [header]), answer);
      const signed = await customer.channel.signed(customer.charged);
      const told = await customer.shop.get(fresh(), [next]);
      assertCorrective(told, { customer, signed, reasons: ['amount'], price });
      await customer.pay({ price });
    });
    await server.start();
  });
}

function expired() {
  const limits = { reply_ttl_s: REPLY_TTL_S };
  return withChannels({ name: 'expired', limits }, async (server) => {
    const customer = await Customer.open(server);
    await customer.pay();
    const { path, header, answer } = customer.last;
    assertSame(await customer.shop.get(path, [header]), answer);
    await sleep((REPLY_TTL_S + 5) * 1_000);
    const gone = await customer.shop.get(path, [header]);
    assertGone(gone);
    assert.deepEqual(gone.settlement, answer.settlement);
    await customer.pay();
  });
}

function oneLedger() {
  return withChannels({ name: 'one_ledger' }, async (server) => {
    const customer = await Customer.open(server);
    const second = await Server.make({
      name: 'one_ledger_second',
      rails: ['base'],
      channels: {},
      ledger: server.ledger,
    });
    const started = second.start({ rails: [] }).then(
      () => 'started',
      (error) => error.message,
    );
    const outcome = await Promise.race([started, sleep(REFUSES_MS).then(() => 'nothing')]);
    assert.match(outcome, /ended at its start/, `the second server: ${outcome}`);
    await customer.pay();
    return outcome.split('\n').at(-1).slice(0, 100);
  });
}

function twoLedgers() {
  const channels = { claim_at: CLAIM_AT };
  return withChannels({ name: 'two_ledgers', channels }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, 4);
    await withChannels({ name: 'two_ledgers_other', channels }, async (other) => {
      // Another ledger knows nothing of these sales: it sells for the same money, until the chain tells.
      const elsewhere = new Shop(other, '198.18.200.1');
      let charged = 0;
      for (let turn = 0; turn < 25; turn += 1) {
        const answer = await elsewhere.get(fresh(), [await customer.voucher(charged + PRICE)]);
        assert.equal(answer.status, 200, String(answer));
        charged += PRICE;
      }
      for (const last = Date.now() + CLAIM_WAIT_MS; Date.now() < last; await sleep(500)) {
        if ((await customer.onChain()).claimed > BigInt(customer.charged)) break;
      }
      const { claimed } = await customer.onChain();
      assert.ok(claimed > BigInt(customer.charged), 'the other server claims nothing');
      // The first one hears of it, says so loudly, and goes on from there.
      let row;
      for (const last = Date.now() + 2 * CLAIM_WAIT_MS; Date.now() < last; await sleep(1_000)) {
        row = (await channelRows(server)).get(customer.channel.id);
        if (row.charged >= claimed) break;
      }
      assert.equal(row.charged, claimed, 'adopted from the chain');
      assert.match(server.log, /ERROR|"level":"error"/, 'no error in the log');
      customer.charged = Number(claimed);
      customer.chain = { claimed: Number(claimed) };
      await customer.pay();
    });
  });
}

const replaced = () => ({ PRICEBOOK_CHANNEL_KEY: generatePrivateKey() });

function otherKey() {
  return withChannels({ name: 'other_key' }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, 2);
    await server.stop();
    const keys = replaced();
    server.channelKeys = { ...keys, PRICEBOOK_CHANNEL_KEY_PREVIOUS: CHANNEL_KEY };
    await server.start();
    const unpaid = await untilChannels(server);
    const { receiverAuthorizer } = channelOffer(unpaid).extra;
    assert.equal(receiverAuthorizer, privateKeyToAccount(keys.PRICEBOOK_CHANNEL_KEY).address);
    const header = await customer.voucher(customer.charged + PRICE);
    assertRefused(await customer.shop.get(fresh(), [header]), 'terms');
    for (const last = Date.now() + CLAIM_WAIT_MS; Date.now() < last; await sleep(500)) {
      if ((await customer.onChain()).claimed) break;
    }
    assert.equal((await customer.onChain()).claimed, BigInt(customer.charged), 'claimed with the old key');
    const back = await customer.askBack();
    assert.equal(back.status, 200, String(back));
    assert.equal((await customer.onChain()).balance, BigInt(customer.charged));
    await (await Customer.open(server)).pay();
  });
}

function keyGone() {
  return withChannels({ name: 'key_gone' }, async (server) => {
    const customer = await Customer.open(server);
    await sell(customer, 2);
    await server.stop();
    server.channelKeys = replaced();
    const outcome = await Promise.race([
      server.start({ rails: [] }).then(
        () => 'started',
        (error) => error.message,
      ),
      sleep(REFUSES_MS).then(() => 'nothing'),
    ]);
    assert.match(outcome, /ended at its start/, outcome);
    server.channelKeys = { PRICEBOOK_CHANNEL_KEY: CHANNEL_KEY };
    await server.start();
    await untilChannels(server);
    await customer.pay();
    assert.ok(customer.balance === DEPOSIT);
  });
}
