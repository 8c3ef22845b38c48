// Deposits: first the money, then the voucher. What may have moved is never asked for again, and what did not
// move buys nothing.

import assert from 'node:assert/strict';
import { Channel, depositElsewhere, makeDeposit } from '../../lib/channels.mjs';
import {
  assertCorrective,
  assertReceipt,
  assertUnknown,
  Customer,
  DEPOSIT,
  FUNDS,
  PRICE,
} from '../../lib/customers.mjs';
import { anyCalls, clearFaults, settleCalls, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { DEEP, fresh } from '../../lib/paths.mjs';
import { basePayer, now, x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertPaid, assertRefused, assertSame } from '../../lib/shop.mjs';
import { STRANGER } from '../../rig/addresses.mjs';
import { sleep, withBlocksOf } from '../../rig/chain.mjs';
import { chains } from '../../rig/start.mjs';

const COPIES = 4;
const SECONDS_PER_BLOCK = 2;
const BEYOND_SETTLE_MS = 9_500; // settle_timeout_ms is 8,000
const DELAY_MS = 1_500;
const LATE_WAIT_MS = 60_000;
const DEPOSIT_MAX = 100_000_000;

export async function run({ server }) {
  await check('twice the same, on the same request: one deposit, the same bytes', () => twice(server));
  await check('twice the same, on another request: payment_used', () => otherRequest(server));
  await check(`${COPIES} copies at once, a block every 2 s: one deposit`, () => copies(server));
  await check('another deposit after a lost answer stays unsettled', () => lostAnswer(server));
  await check('a deposit that its voucher does not need stays unsettled', () => notNeeded(server));
  await check('a top-up when the balance is used up', () => topUp(server));
  await check('money that came to the channel without us', () => elsewhere(server));
  await check('made by somebody else before it is presented', () => madeBefore(server));
  for (const step of ['verify', 'settle']) {
    await check(`made by somebody else while the facilitator has it: ${step}`, () =>
      madeMeanwhile(server, step),
    );
  }
  await check('a client that goes away while it is made', () => goneAway(server));
  for (const [name, { amount, make, reasons }] of Object.entries(REFUSED)) {
    await check(`${name}: refused, nothing moves`, () => refused(server, { amount, make, reasons }));
  }
  await check('a deposit that does not cover its voucher', () => notEnough(server));
  await check('a deposit of a payer without money', () => poor(server));
  for (const [name, fault] of Object.entries(DONE)) {
    await check(`the facilitator ${name}`, () => doneAllTheSame(server, fault));
  }
  for (const [name, fault] of Object.entries(UNDONE)) {
    await check(`the facilitator ${name}, and works the next time`, () => undone(server, fault));
  }
  await check('nobody knows: vouchers go on, another deposit waits', () => unknown(server));
  await check('a chain that is silent: never 402, and vouchers go on', () => silent(server));
}

async function expectBalance(customer, balance) {
  assert.equal((await customer.onChain()).balance, BigInt(balance), 'on the chain');
}

async function twice(server) {
  const customer = await Customer.open(server);
  const { path, header, answer } = customer.last;
  const calls = await anyCalls();
  for (let turn = 0; turn < 3; turn += 1) assertSame(await customer.shop.get(path, [header]), answer);
  assert.equal(await anyCalls(), calls, 'the facilitator was asked again');
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

async function otherRequest(server) {
  const customer = await Customer.open(server);
  const { header } = customer.last;
  const signed = await customer.channel.signed(customer.charged);
  const answer = await customer.shop.get(fresh(), [header]);
  assertCorrective(answer, { customer, signed, reasons: ['payment_used'] });
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

async function copies(server) {
  const customer = await Customer.make(server);
  const path = fresh();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
  const calls = await settleCalls();
  const answers = await withBlocksOf(SECONDS_PER_BLOCK, () =>
    Promise.all(Array.from({ length: COPIES }, () => customer.shop.get(path, [header]))),
  );
  for (const answer of answers.filter(({ status }) => status !== 200)) assertBusy(answer);
  const paid = answers.filter(({ status }) => status === 200);
  assert.ok(paid.length, answers.join('\n'));
  for (const answer of paid) assertSame(answer, paid[0]);
  assert.equal(await settleCalls(), calls + 1, 'settled more than once');
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  assertReceipt(paid[0], { customer, price: PRICE, deposited: DEPOSIT });
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

/** As clients do: the answer was lost, so they sign another deposit with another salt, and the same voucher. */
async function lostAnswer(server) {
  const customer = await Customer.open(server);
  const { path, answer } = customer.last;
  const again = x402Header(await customer.channel.deposit(DEPOSIT, customer.charged));
  assertSame(await customer.shop.get(path, [again]), answer);
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

async function notNeeded(server) {
  const customer = await Customer.open(server);
  const path = fresh();
  const calls = await settleCalls();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, customer.charged + PRICE));
  const answer = assertPaid(await customer.shop.get(path, [header]));
  customer.charged += PRICE;
  assertReceipt(answer, { customer, price: PRICE });
  assert.equal(await settleCalls(), calls, 'the facilitator was asked');
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

async function topUp(server) {
  const customer = await Customer.open(server);
  while (customer.balance - customer.charged >= PRICES.deep) {
    await customer.pay({ path: DEEP, price: PRICES.deep });
  }
  while (customer.balance > customer.charged) await customer.pay();
  await customer.topUp(DEPOSIT);
  await customer.pay();
  await expectBalance(customer, 2 * DEPOSIT);
}

async function elsewhere(server) {
  const customer = await Customer.make(server);
  await depositElsewhere(customer.channel, DEPOSIT);
  customer.balance = DEPOSIT;
  await customer.pay();
  await customer.pay();
}

/** Everybody may hand a deposit to the contract, whoever it was given to. */
async function madeBefore(server) {
  const customer = await Customer.make(server);
  const payment = await customer.channel.deposit(DEPOSIT, PRICE);
  await makeDeposit(customer.channel, payment);
  assertPaid(await customer.shop.get(fresh(), [x402Header(payment)]));
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
}

async function madeMeanwhile(server, step) {
  const customer = await Customer.make(server);
  const path = fresh();
  const payment = await customer.channel.deposit(DEPOSIT, PRICE);
  const header = x402Header(payment);
  const first = await withFaults({ [`${step}Delay`]: DELAY_MS }, async () => {
    const answer = customer.shop.get(path, [header]);
    await sleep(DELAY_MS / 2);
    await makeDeposit(customer.channel, payment);
    return answer;
  });
  if (first.status !== 200) assertBusy(first);
  assertPaid(await customer.persist(path, header));
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  await expectBalance(customer, DEPOSIT);
  await customer.assertUncharged();
  return `first answer ${first.status}`;
}

async function goneAway(server) {
  const customer = await Customer.make(server);
  const path = fresh();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
  await withFaults({ settleDelay: DELAY_MS }, async () => {
    await customer.shop.get(path, [header], { cutAfterMs: DELAY_MS / 2 });
    await sleep(2 * DELAY_MS);
  });
  await expectBalance(customer, DEPOSIT);
  assertPaid(await customer.persist(path, header));
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  await customer.assertUncharged();
}

const authorization = (payment) => payment.payload.deposit.authorization.erc3009Authorization;

const REFUSED = {
  'a deposit under the minimum': { amount: DEPOSIT - 1, reasons: ['amount'] },
  'a deposit of nothing': { amount: 0, reasons: ['amount', 'malformed'] },
  'a deposit above the maximum': { amount: DEPOSIT_MAX + PRICE + 1, reasons: ['amount'] },
  'a deposit beyond 64 bits': { amount: 2n ** 64n + BigInt(DEPOSIT), reasons: ['amount', 'malformed'] },
  'a deposit by Permit2': {
    reasons: ['terms'],
    make: async (channel) => {
      const payment = await channel.deposit(DEPOSIT, PRICE);
      const { signature } = authorization(payment);
      const permit2Authorization = {
        from: channel.config.payer,
        permitted: { token: channel.config.token, amount: String(DEPOSIT) },
        spender: '0x4020425FAf3B746C082C2f942b4E5159887B0005',
        nonce: '1',
        deadline: String(now() + 60),
        witness: { channelId: channel.id },
        signature,
      };
      payment.payload.deposit.authorization = { permit2Authorization };
      return payment;
    },
  },
  'a deposit signed for another amount': {
    reasons: ['signature', 'refused'],
    make: async (channel) => {
      const payment = await channel.deposit(DEPOSIT, PRICE);
      payment.payload.deposit.amount = String(2 * DEPOSIT);
      return payment;
    },
  },
  'a deposit signed for another payee': {
    reasons: ['signature', 'refused'],
    make: (channel) => channel.deposit(DEPOSIT, PRICE, { to: STRANGER }),
  },
  'a deposit signed by somebody else': {
    reasons: ['signature', 'refused'],
    make: async (channel) => {
      const payment = await channel.deposit(DEPOSIT, PRICE);
      const thief = new Channel(channel.offer, await basePayer(DEPOSIT), channel.config);
      authorization(payment).signature = authorization(await thief.deposit(DEPOSIT, PRICE)).signature;
      return payment;
    },
  },
  'a deposit signed with another nonce': {
    reasons: ['signature', 'refused'],
    make: (channel) => channel.deposit(DEPOSIT, PRICE, { nonce: `0x${'7'.repeat(64)}` }),
  },
  'a deposit that is no longer valid': {
    reasons: ['expired', 'terms', 'refused'],
    make: (channel) => channel.deposit(DEPOSIT, PRICE, { validBefore: String(now() - 1) }),
  },
  'a deposit that is about to expire': {
    reasons: ['expired', 'terms', 'refused'],
    make: (channel) => channel.deposit(DEPOSIT, PRICE, { validBefore: String(now() + 3) }),
  },
  'a deposit that is not valid yet': {
    reasons: ['expired', 'terms', 'refused'],
    make: (channel) => channel.deposit(DEPOSIT, PRICE, { validAfter: String(now() + 600) }),
  },
  'a deposit with a signature of zeros': {
    reasons: ['signature', 'refused', 'malformed'],
    make: async (channel) => {
      const payment = await channel.deposit(DEPOSIT, PRICE);
      authorization(payment).signature = `0x${'0'.repeat(130)}`;
      return payment;
    },
  },
};

async function refused(server, { amount, make, reasons }) {
  const payer = await basePayer(2 * DEPOSIT_MAX);
  const customer = await Customer.make(server, { payer });
  const payment = await (make ? make(customer.channel) : customer.channel.deposit(amount, PRICE));
  assertRefused(await customer.shop.get(fresh(), [x402Header(payment)]), ...reasons);
  await expectBalance(customer, 0);
  // The channel is not spoilt by it.
  await customer.topUp(DEPOSIT);
}

async function notEnough(server) {
  const customer = await Customer.make(server);
  const payment = await customer.channel.deposit(DEPOSIT, DEPOSIT + PRICE);
  assertUnknown(await customer.shop.get(fresh(), [x402Header(payment)]));
  await expectBalance(customer, 0);
  await customer.topUp(DEPOSIT);
}

async function poor(server) {
  const payer = await basePayer(DEPOSIT - 1);
  const customer = await Customer.make(server, { payer });
  const payment = await customer.channel.deposit(DEPOSIT, PRICE);
  assertRefused(await customer.shop.get(fresh(), [x402Header(payment)]), 'refused', 'settlement_failed');
  await expectBalance(customer, 0);
}

const DONE = {
  'is too slow': { settleDelay: BEYOND_SETTLE_MS },
  'cuts the connection after it settled': { settle: 'lost' },
  'answers 500 after it settled': { settle: '500' },
  'answers garbage after it settled': { settle: 'garbage' },
  'says pending once': { settle: 'pending', times: 1 },
  'says pending for ever': { settle: 'pending' },
  'says that it failed, and it did not': { settle: 'deny' },
};

async function doneAllTheSame(server, fault) {
  const customer = await Customer.make(server);
  const path = fresh();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
  const first = await withFaults(fault, () => customer.shop.get(path, [header]));
  if (first.status !== 200) assertBusy(first);
  const answer = assertPaid(await customer.persist(path, header));
  if (first.status === 200) assertSame(answer, first);
  Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
  await expectBalance(customer, DEPOSIT);
  assert.equal(answer.settlement.extra.channelState.chargedCumulativeAmount, String(PRICE));
  await customer.assertUncharged();
  return `first answer ${first.status}`;
}

const UNDONE = {
  'cuts the connection at verify': { verify: 'reset' },
  'answers garbage at verify': { verify: 'garbage' },
  'refuses at verify': { verify: 'refuse' },
  'refuses at settle': { settle: 'refuse' },
};

async function undone(server, fault) {
  const customer = await Customer.make(server);
  const path = fresh();
  const header = x402Header(await customer.channel.deposit(DEPOSIT, PRICE));
  const answer = await withFaults(fault, () => customer.shop.get(path, [header]));
  await expectBalance(customer, 0);
  if ([fault.verify, fault.settle].includes('refuse')) {
    assertRefused(answer, 'refused', 'settlement_failed');
    assert.notEqual(answer.settlement?.success, true);
    await customer.topUp(DEPOSIT);
  } else {
    assertBusy(answer);
    assertPaid(await customer.persist(path, header));
    Object.assign(customer, { balance: DEPOSIT, charged: PRICE });
    await customer.assertUncharged();
  }
  await expectBalance(customer, DEPOSIT);
}

async function unknown(server) {
  const customer = await Customer.open(server, { payer: await basePayer(2 * FUNDS) });
  while (customer.balance - customer.charged > PRICES.deep) {
    await customer.pay({ path: DEEP, price: PRICES.deep });
  }
  const needing = () => customer.channel.deposit(DEPOSIT, customer.charged + PRICES.deep);
  const payment = await needing();
  const header = x402Header(payment);
  const first = await withFaults({ settle: 'reset' }, () => customer.shop.get(DEEP, [header]));
  assertBusy(first);
  // What is left of the balance is good; a second deposit might be one too many.
  await customer.pay();
  assertBusy(await customer.shop.get(DEEP, [x402Header(await needing())]));
  await expectBalance(customer, DEPOSIT);
  await clearFaults();
  const left = customer.balance - customer.charged;
  // It comes after all.
  await makeDeposit(customer.channel, payment);
  customer.balance += DEPOSIT;
  for (const last = Date.now() + LATE_WAIT_MS; Date.now() < last; await sleep(500)) {
    const next = await customer.voucher(customer.charged + PRICES.deep);
    const answer = await customer.shop.get(DEEP, [next]);
    if (answer.status === 200) {
      customer.charged += PRICES.deep;
      await customer.assertUncharged();
      return `${left} left`;
    }
    assert.ok([402, 503].includes(answer.status), String(answer));
  }
  throw new Error('money that came late is not seen');
}

async function silent(server) {
  const customer = await Customer.open(server);
  const newcomer = await Customer.make(server);
  const header = x402Header(await newcomer.channel.deposit(DEPOSIT, PRICE));
  const path = fresh();
  chains.base.kill('SIGSTOP');
  try {
    assertBusy(await newcomer.shop.get(path, [header]));
    await customer.pay();
    await customer.pay();
  } finally {
    chains.base.kill('SIGCONT');
  }
  const answer = await newcomer.persist(path, header);
  assertPaid(answer);
  assert.equal((await newcomer.onChain()).balance, BigInt(DEPOSIT));
  await customer.pay();
}
