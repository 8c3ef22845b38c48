// Withdrawals by force: the payer asks the contract, and after the delay takes what is not claimed. The server sees
// it, claims everything at once, and sells nothing on the channel until it is over.

import assert from 'node:assert/strict';
import { assertBooks } from '../../lib/books.mjs';
import { ageWithdrawal, finalizeWithdraw, initiateWithdraw } from '../../lib/channels.mjs';
import { assertCorrective, assertGone, Customer, DEPOSIT, PRICE } from '../../lib/customers.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { x402Header } from '../../lib/payers.mjs';
import { assertRefused } from '../../lib/shop.mjs';
import { sleep, tokensOf, withTimeAhead } from '../../rig/chain.mjs';
import { withChannels } from './servers.mjs';

const DELAY_S = 900;
// The chain is looked at every 30 s at this delay.
const SEEN_WAIT_MS = 75_000;

export async function run() {
  await check('a withdrawal is seen, everything is claimed, nothing is sold meanwhile', seen);
  await check('a withdrawal that came to its end while the server was away', whileAway);
  await check('a refund ends a withdrawal', endedByRefund);
  await check('a withdrawal by the chain’s own clock', ownClock);
}

const claimedOf = async (customer) => (await customer.onChain()).claimed;

async function untilClaimed(customer) {
  for (const last = Date.now() + SEEN_WAIT_MS; Date.now() < last; await sleep(500)) {
    if ((await claimedOf(customer)) === BigInt(customer.charged)) return;
  }
  throw new Error(`claimed ${await claimedOf(customer)} of ${customer.charged} after ${SEEN_WAIT_MS} ms`);
}

/** What the server says of a voucher, once it says something else than before. */
async function untilAnswered(customer, path, header, status) {
  let answer;
  for (const last = Date.now() + SEEN_WAIT_MS; Date.now() < last; await sleep(500)) {
    answer = await customer.shop.get(path, [header]);
    if (answer.status === status) return answer;
  }
  throw new Error(`not ${status} within ${SEEN_WAIT_MS} ms; the last answer is ${answer}`);
}

function seen() {
  return withChannels({ name: 'forced' }, async (server) => {
    const customer = await Customer.open(server);
    const other = await Customer.open(server);
    for (let turn = 0; turn < 3; turn += 1) await customer.pay();
    const sold = customer.last;
    const began = Date.now();
    await initiateWithdraw(customer.channel, customer.balance);
    await untilClaimed(customer);
    const seconds = Math.round((Date.now() - began) / 1000);
    const header = await customer.voucher(customer.charged + PRICE);
    assertRefused(await customer.shop.get(fresh(), [header]), 'refused');
    const deposit = x402Header(await customer.channel.deposit(DEPOSIT, customer.charged + PRICE));
    assert.equal((await customer.shop.get(fresh(), [deposit])).status, 402);
    // Its last voucher was published, too.
    assertGone(await customer.shop.get(sold.path, [sold.header]));
    await other.pay();
    const before = await tokensOf(customer.payer.address);
    await ageWithdrawal(customer.channel, DELAY_S + 1);
    await finalizeWithdraw(customer.channel);
    assert.equal(
      await tokensOf(customer.payer.address),
      before + BigInt(customer.balance - customer.charged),
    );
    customer.balance = customer.charged;
    customer.chain = { claimed: customer.charged };
    // It is over when the chain says so; then there is nothing left to sell on, and a deposit is taken again.
    for (const last = Date.now() + SEEN_WAIT_MS; Date.now() < last; await sleep(500)) {
      const answer = await customer.shop.get(fresh(), [header]);
      if (answer.reason === 'amount') break;
      assertRefused(answer, 'refused');
    }
    const signed = await customer.channel.signed(customer.charged);
    const answer = await customer.shop.get(fresh(), [header]);
    assertCorrective(answer, { customer, signed, reasons: ['amount'] });
    await assertBooks(server, [customer]);
    await customer.topUp(DEPOSIT);
    await customer.pay();
    await assertBooks(server, [customer, other]);
    return `claimed after ${seconds} s`;
  });
}

function whileAway() {
  return withChannels({ name: 'forced_away' }, async (server) => {
    const customer = await Customer.open(server);
    for (let turn = 0; turn < 3; turn += 1) await customer.pay();
    const { path, header } = customer.last;
    await server.stop();
    await initiateWithdraw(customer.channel, customer.balance);
    await ageWithdrawal(customer.channel, DELAY_S + 1);
    await finalizeWithdraw(customer.channel);
    await server.start();
    // The money is gone: what was sold is lost, and nothing more is sold for it.
    const next = await customer.voucher(customer.charged + PRICE);
    assert.equal((await untilAnswered(customer, fresh(), next, 402)).settlement, undefined);
    // What was answered is answered again.
    assert.equal((await customer.shop.get(path, [header])).status, 200);
    assert.equal((await customer.onChain()).balance, 0n);
  });
}

function endedByRefund() {
  return withChannels({ name: 'forced_refund' }, async (server) => {
    const customer = await Customer.open(server);
    await customer.pay();
    await initiateWithdraw(customer.channel, customer.balance - customer.charged);
    await untilClaimed(customer);
    const answer = await customer.askBack();
    if (answer.status !== 200) return `a refund meanwhile is ${answer.status}`;
    const { balance, claimed, withdrawAt } = await customer.onChain();
    const right = { balance: BigInt(customer.charged), claimed: BigInt(customer.charged), withdrawAt: 0 };
    assert.deepEqual({ balance, claimed, withdrawAt }, right);
    return 'refunded meanwhile';
  });
}

function ownClock() {
  return withChannels({ name: 'forced_clock' }, async (server) => {
    const customer = await Customer.open(server);
    await customer.pay();
    await initiateWithdraw(customer.channel, customer.balance);
    await untilClaimed(customer);
    await assert.rejects(finalizeWithdraw(customer.channel), 'before its delay is over');
    await withTimeAhead(DELAY_S + 1, async () => {
      await finalizeWithdraw(customer.channel);
      assert.equal((await customer.onChain()).balance, BigInt(customer.charged));
      const header = await customer.voucher(customer.charged + PRICE);
      assert.equal((await untilAnswered(customer, fresh(), header, 402)).settlement, undefined);
      await server.stop();
    });
  });
}
