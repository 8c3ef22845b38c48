// A facilitator that fails in every way there is: no client may be made to pay again for a payment whose
// money moved or may still move, and every payment whose money moved gets its answer.

import assert from 'node:assert/strict';
import { settleCalls, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { basePayer, executionData, mppEvm, mppHeader, x402Base, x402Header } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertPaid, assertRefused, assertSame, takes, takesNothing } from '../../lib/shop.mjs';
import { STRANGER, USDC } from '../../rig/addresses.mjs';
import { sleep, transact } from '../../rig/chain.mjs';

const PRICE = BigInt(PRICES.shopper);
const BEYOND_VERIFY_MS = 4_500; // verify_timeout_ms is 3,000
const WITHIN_SETTLE_MS = 3_000;
const BEYOND_SETTLE_MS = 9_500; // settle_timeout_ms is 8,000, chain_look_ms 4,000
const LATE_WAIT_MS = 60_000;

/** A payment to be made under a fault, by turns by either protocol. */
async function payment(shop, index) {
  const path = fresh();
  const payer = await basePayer();
  const unpaid = await shop.unpaid(path);
  if (index % 2) {
    const credential = await mppEvm(unpaid.challenges.evm, payer);
    const { type, signature, ...authorization } = credential.payload;
    return { path, header: mppHeader(credential), signed: { authorization, signature } };
  }
  const made = await x402Base(unpaid, payer);
  return { path, header: x402Header(made), signed: made.payload };
}

export async function run(shop) {
  const verifyFaults = [
    ['cuts the connection', { verify: 'reset' }],
    ['answers 500', { verify: '500' }],
    ['answers garbage', { verify: 'garbage' }],
    ['is silent', { verifyDelay: BEYOND_VERIFY_MS }],
    ['refuses', { verify: 'refuse' }],
  ];
  for (const [index, [name, fault]] of verifyFaults.entries()) {
    await check(`verify ${name}, and works the next time`, () => verifyFails(shop, index, fault));
  }
  const doneFaults = [
    ['is slow', { settleDelay: WITHIN_SETTLE_MS }],
    ['is too slow', { settleDelay: BEYOND_SETTLE_MS }],
    ['cuts the connection after it settled', { settle: 'lost' }],
    ['answers 500 after it settled', { settle: '500' }],
    ['answers garbage after it settled', { settle: 'garbage' }],
    ['says pending once', { settle: 'pending', times: 1 }],
    ['says pending for ever', { settle: 'pending' }],
    ['says that it failed, and it did not', { settle: 'deny' }],
  ];
  for (const [index, [name, fault]] of doneFaults.entries()) {
    await check(`settle ${name}`, () => settledAllTheSame(shop, index, fault));
  }
  await check('settle refuses: unpaid, told so, and answered when the money comes after all', () =>
    refused(shop),
  );
  await check('settle cuts the connection: nobody knows, and answered when the money comes', () =>
    unknown(shop),
  );
  const lost = await payment(shop, 1);
  await check('settle cuts the connection: nobody knows', () => nobodyKnows(shop, lost));
  return () => check('… and once it cannot be paid any more, that is said', () => expires(shop, lost));
}

async function verifyFails(shop, index, fault) {
  const { path, header } = await payment(shop, index);
  const calls = await settleCalls();
  const first = await withFaults(fault, () => shop.get(path, [header]));
  if (fault.verify === 'refuse') assertRefused(first, 'refused');
  // A facilitator that says 500 around a good answer may be believed.
  else if (fault.verify !== '500' || first.status !== 200) assertBusy(first);
  if (first.status !== 200) assert.equal(await settleCalls(), calls, 'settled without being verified');
  const before = first.status === 200 ? {} : { base: PRICE };
  await takes(before, async () => {
    const answer = assertPaid(await shop.persist(path, header));
    assertSame(await shop.get(path, [header]), answer);
  });
  assert.equal(await settleCalls(), calls + 1, 'settled more than once');
}

async function settledAllTheSame(shop, index, fault) {
  const { path, header } = await payment(shop, index);
  return takes({ base: PRICE }, async () => {
    const first = await withFaults(fault, () => shop.get(path, [header]));
    if (first.status !== 200) assertBusy(first);
    const answer = assertPaid(await shop.persist(path, header));
    if (first.status === 200) assertSame(answer, first);
    assert.equal((await shop.server.settledIn(answer.transaction)).length, 1);
    return `first answer ${first.status}`;
  });
}

async function refused(shop) {
  const { path, header, signed } = await payment(shop, 0);
  await takesNothing(async () => {
    const answer = await withFaults({ settle: 'refuse' }, () => shop.get(path, [header]));
    assertRefused(answer, 'settlement_failed');
    assert.equal(answer.settlement?.success, false, 'no PAYMENT-RESPONSE that says so');
    assertRefused(await shop.get(path, [header]), 'settlement_failed');
  });
  await lateMoney(shop, path, header, signed);
}

async function unknown(shop) {
  const { path, header, signed } = await payment(shop, 0);
  await takesNothing(async () => {
    assertBusy(await withFaults({ settle: 'reset' }, () => shop.get(path, [header])));
    assertBusy(await shop.get(path, [header]));
    const other = await shop.get(fresh(), [header]);
    assertRefused(other, 'payment_used');
  });
  await lateMoney(shop, path, header, signed);
}

/** Money that arrives after the server has given its answer up still buys it. */
async function lateMoney(shop, path, header, signed) {
  await takes({ base: PRICE }, async () => {
    await transact(STRANGER, USDC, executionData(signed));
    let answer;
    for (const last = Date.now() + LATE_WAIT_MS; Date.now() < last; await sleep(500)) {
      answer = await shop.get(path, [header]);
      if (answer.status === 200) break;
    }
    assertPaid(answer);
    assertSame(await shop.get(path, [header]), answer);
  });
}

async function nobodyKnows(shop, { path, header }) {
  await takesNothing(async () => {
    assertBusy(await withFaults({ settle: 'reset' }, () => shop.get(path, [header])));
  });
}

async function expires(shop, { path, header }) {
  const waitMs = (shop.server.offerTtlS + 60) * 1_000;
  await takesNothing(async () => assertRefused(await shop.persist(path, header, waitMs)));
}
