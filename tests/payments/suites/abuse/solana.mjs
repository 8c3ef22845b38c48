// What is peculiar to Solana: the signature slot of the fee payer is empty and anybody's to fill, and a
// facilitator's word is all that the server has of a transaction until it finds it by its memo.

import { SOLANA_FACILITATOR, withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { DEARER, fresh } from '../../lib/paths.mjs';
import { offerOf, x402Header, x402Solana } from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertBusy, assertPaid, assertRefused, assertSame, takes, takesNothing } from '../../lib/shop.mjs';

const PRICE = BigInt(PRICES.shopper);
const SIGNATURE_BYTES = 64;

export async function run(shop) {
  await check('Solana: sent again with another fee payer’s signature slot', () => slot(shop));
  await check('Solana: on another request, unpaid and paid', () => otherRequest(shop));
  await check('Solana: relabelled', () => relabelled(shop));
  await check('Solana: somebody else’s transaction under a ref of one’s own', () => stolen(shop));
  await check('Solana: a transaction that is cut short, edited or garbage', () => broken(shop));
  for (const kind of ['lost', '500', 'garbage', 'pending', 'deny']) {
    await check(`Solana: settled, but the facilitator’s word is: ${kind}`, () =>
      settledAllTheSame(shop, kind),
    );
  }
  await check('Solana: the facilitator cuts the connection and does nothing', () => nothingDone(shop));
}

function withTransaction(payment, change) {
  const bytes = Buffer.from(payment.payload.transaction, 'base64');
  return { ...payment, payload: { transaction: change(bytes).toString('base64') } };
}

const withOtherSlot = (payment) =>
  withTransaction(payment, (bytes) => {
    for (let index = 1; index <= SIGNATURE_BYTES; index += 1) bytes[index] ^= 0x5a;
    return bytes;
  });

async function slot(shop) {
  const path = fresh();
  const payment = await x402Solana(await shop.unpaid(path));
  await takes({ solana: PRICE }, async () => {
    const answer = assertPaid(await shop.get(path, [x402Header(payment)]));
    assertSame(await shop.get(path, [x402Header(payment)]), answer);
    assertSame(await shop.get(path, [x402Header(withOtherSlot(payment))]), answer);
    assertRefused(await shop.get(fresh(), [x402Header(withOtherSlot(payment))]), 'payment_used');
  });
}

async function otherRequest(shop) {
  const [path, other] = [fresh(), fresh()];
  const payment = await x402Solana(await shop.unpaid(path));
  const { resource, ...rest } = payment;
  // The offer of the other request around the transaction that was signed for this one.
  const foreign = await shop.unpaid(other);
  const accepted = offerOf(foreign, 'solana:');
  const disguised = { ...payment, resource: foreign.required.resource, accepted };
  await takesNothing(async () => {
    assertRefused(await shop.get(other, [x402Header(rest)]));
    assertRefused(await shop.get(other, [x402Header(disguised)]));
    assertRefused(await shop.get(DEARER, [x402Header(rest)]));
  });
  await takes({ solana: PRICE }, async () => {
    assertPaid(await shop.get(path, [x402Header(payment)]));
    assertRefused(await shop.get(other, [x402Header(rest)]), 'payment_used');
    assertRefused(await shop.get(other, [x402Header(disguised)]), 'payment_used');
  });
}

async function relabelled(shop) {
  const path = fresh();
  const payment = await x402Solana(await shop.unpaid(path));
  const labels = [{ amount: '1' }, { payTo: payment.accepted.asset }, { asset: payment.accepted.payTo }];
  await takesNothing(async () => {
    for (const label of labels) {
      const accepted = { ...payment.accepted, ...label };
      assertRefused(await shop.get(path, [x402Header({ ...payment, accepted })]));
    }
  });
}

/** The memo is public once the transaction is; the ref of the same offer never is. */
async function stolen(shop) {
  const path = fresh();
  const payment = await x402Solana(await shop.unpaid(path));
  const accepted = offerOf(await shop.unpaid(path), 'solana:');
  await takesNothing(async () =>
    assertRefused(await shop.get(path, [x402Header({ ...payment, accepted })]), 'not_ours'),
  );
  await takes({ solana: PRICE }, async () => assertPaid(await shop.get(path, [x402Header(payment)])));
}

async function broken(shop) {
  const path = fresh();
  const payment = await x402Solana(await shop.unpaid(path));
  const changes = [
    (bytes) => bytes.subarray(0, -1),
    (bytes) => bytes.subarray(0, 70),
    (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
    (bytes) => Buffer.from(bytes.map((byte, index) => (index === bytes.length - 20 ? byte ^ 1 : byte))),
    () => Buffer.alloc(0),
    () => Buffer.alloc(200, 0xff),
  ];
  await takesNothing(async () => {
    for (const change of changes) {
      assertRefused(await shop.get(path, [x402Header(withTransaction(payment, change))]));
    }
  });
  await takes({ solana: PRICE }, async () => assertPaid(await shop.get(path, [x402Header(payment)])));
}

async function settledAllTheSame(shop, kind) {
  const path = fresh();
  const header = x402Header(await x402Solana(await shop.unpaid(path)));
  await takes({ solana: PRICE }, async () => {
    const first = await withFaults({ settle: kind }, () => shop.get(path, [header]), SOLANA_FACILITATOR);
    if (first.status !== 200) assertBusy(first);
    const answer = assertPaid(await shop.persist(path, header));
    if (first.status === 200) assertSame(answer, first);
  });
}

async function nothingDone(shop) {
  const path = fresh();
  const header = x402Header(await x402Solana(await shop.unpaid(path)));
  await takesNothing(async () => {
    await withFaults(
      { settle: 'reset' },
      async () => assertBusy(await shop.get(path, [header])),
      SOLANA_FACILITATOR,
    );
    assertBusy(await shop.get(path, [header]));
  });
}
