// The calldata of an authorization is public: anybody can execute it, before or while the server has it
// settled. The money arrives all the same, so the payer must get his answer, once. And what only looks like
// his money must not count.

import assert from 'node:assert/strict';
import { encodeFunctionData, parseAbi } from 'viem';
import { withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import {
  authorize,
  basePayer,
  executionData,
  mppEvm,
  mppHeader,
  x402Base,
  x402Header,
} from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, takes, takesNothing } from '../../lib/shop.mjs';
import { STRANGER, TWO_CALLS, USDC } from '../../rig/addresses.mjs';
import { broadcast, sleep, transact, withBlocksOf } from '../../rig/chain.mjs';

const PRICE = BigInt(PRICES.shopper);
const LATE_WAIT_MS = 60_000;
const TWO_CALLS_ABI = parseAbi(['function run(address target, bytes first, bytes second)']);

const execute = (payload) => transact(STRANGER, USDC, executionData(payload));

export async function run(shop) {
  const kinds = {
    x402: async (unpaid, payer) => {
      const payment = await x402Base(unpaid, payer);
      return { header: x402Header(payment), signed: payment.payload };
    },
    'MPP evm': async (unpaid, payer) => {
      const credential = await mppEvm(unpaid.challenges.evm, payer);
      const { type, signature, ...authorization } = credential.payload;
      return { header: mppHeader(credential), signed: { authorization, signature } };
    },
  };
  for (const [name, pay] of Object.entries(kinds)) {
    await check(`${name}: executed by somebody else before it is presented`, () => before(shop, pay));
    await check(`${name}: executed by somebody else after a refused verify`, () => afterRefusal(shop, pay));
    await check(`${name}: executed by somebody else while it settles`, () => meanwhile(shop, pay));
    await check(`${name}: overtaken in the same block, and the facilitator says no`, () =>
      overtaken(shop, pay),
    );
  }
  await check('two nonces in one transaction, one of them paying somebody else', () => twoNonces(shop));
  await check('two payments in one transaction: both count, each once', () => twoPayments(shop));
  await check('a spent nonce that paid somebody else buys nothing', () => spentElsewhere(shop));
}

async function before(shop, pay) {
  const path = fresh();
  const { header, signed } = await pay(await shop.unpaid(path), await basePayer());
  await takes({ base: PRICE }, async () => {
    await execute(signed);
    const answer = assertPaid(await shop.get(path, [header]));
    assertSame(await shop.get(path, [header]), answer);
    assertRefused(await shop.get(fresh(), [header]), 'payment_used');
  });
}

async function afterRefusal(shop, pay) {
  const path = fresh();
  const { header, signed } = await pay(await shop.unpaid(path), await basePayer());
  await takes({ base: PRICE }, async () => {
    await withFaults({ verify: 'refuse' }, async () => {
      assertRefused(await shop.get(path, [header]), 'refused');
    });
    await execute(signed);
    const answer = assertPaid(await patient(shop, path, header));
    assertSame(await shop.get(path, [header]), answer);
  });
}

/** A refused payment whose money has just arrived: answered as soon as the server has seen it. */
async function patient(shop, path, header) {
  let answer;
  for (const last = Date.now() + LATE_WAIT_MS; Date.now() < last; await sleep(1_000)) {
    answer = await shop.get(path, [header]);
    if (answer.status === 200) return answer;
    assert.ok([402, 409, 503].includes(answer.status), String(answer));
  }
  throw new Error(`no answer ${LATE_WAIT_MS} ms after the money arrived: ${answer}`);
}

async function meanwhile(shop, pay) {
  const path = fresh();
  const { header, signed } = await pay(await shop.unpaid(path), await basePayer());
  await takes({ base: PRICE }, async () => {
    const answer = await withFaults({ settleDelay: 1_000 }, async () => {
      const paying = shop.get(path, [header]);
      await sleep(500);
      await execute(signed);
      return paying;
    });
    assertPaid(answer);
    assertSame(await shop.get(path, [header]), answer);
  });
}

/** The competing transaction waits for its block while the facilitator already says that it failed. */
async function overtaken(shop, pay) {
  const path = fresh();
  const { header, signed } = await pay(await shop.unpaid(path), await basePayer());
  await takes({ base: PRICE }, async () => {
    const answer = await withBlocksOf(2, () =>
      withFaults({ settle: 'refuse' }, async () => {
        const paying = shop.get(path, [header]);
        await broadcast(STRANGER, USDC, executionData(signed));
        return paying;
      }),
    );
    assertPaid(answer);
    assertSame(await shop.get(path, [header]), answer);
  });
}

async function twoNonces(shop) {
  const payer = await basePayer();
  const [path, other] = [fresh(), fresh()];
  const real = await x402Base(await shop.unpaid(path), payer);
  const fake = await x402Base(await shop.unpaid(other), payer);
  // The nonce of the second payment is spent on somebody else, in the transaction that settles the first.
  const { nonce } = fake.payload.authorization;
  const elsewhere = await authorize(payer, { to: STRANGER, value: PRICE, nonce });
  await takes({ base: PRICE }, async () => {
    const args = [USDC, executionData(elsewhere), executionData(real.payload)];
    await transact(STRANGER, TWO_CALLS, encodeFunctionData({ abi: TWO_CALLS_ABI, args }));
    assertRefused(await shop.get(other, [x402Header(fake)]));
    assertPaid(await shop.get(path, [x402Header(real)]));
    assertRefused(await shop.get(other, [x402Header(fake)]));
  });
}

async function twoPayments(shop) {
  const payer = await basePayer();
  const [path, other] = [fresh(), fresh()];
  const [one, two] = [
    await x402Base(await shop.unpaid(path), payer),
    await x402Base(await shop.unpaid(other), payer),
  ];
  await takes({ base: 2n * PRICE }, async () => {
    const args = [USDC, executionData(one.payload), executionData(two.payload)];
    await transact(STRANGER, TWO_CALLS, encodeFunctionData({ abi: TWO_CALLS_ABI, args }));
    assertPaid(await shop.get(path, [x402Header(one)]));
    assertPaid(await shop.get(other, [x402Header(two)]));
  });
}

async function spentElsewhere(shop) {
  const payer = await basePayer();
  const path = fresh();
  const payment = await x402Base(await shop.unpaid(path), payer);
  const { nonce } = payment.payload.authorization;
  await takesNothing(async () => {
    await execute(await authorize(payer, { to: STRANGER, value: PRICE, nonce }));
    assertRefused(await shop.get(path, [x402Header(payment)]), 'refused', 'settlement_failed');
  });
}
