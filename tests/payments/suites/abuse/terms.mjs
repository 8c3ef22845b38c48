// Payments that are not what was offered: relabelled, lowered, redirected, bound to something else. None of
// them may reach a facilitator, none may move money.

import assert from 'node:assert/strict';
import { anyCalls } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { DEARER, fresh } from '../../lib/paths.mjs';
import {
  authorize,
  basePayer,
  fromBase64,
  mppEvm,
  mppHeader,
  now,
  toBase64Url,
  x402Base,
  x402Header,
} from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertPaid, assertRefused, assertSame, takes, takesNothing } from '../../lib/shop.mjs';
import {
  SEPOLIA_DOMAIN,
  SEPOLIA_NETWORK,
  SEPOLIA_USDC,
  SOLANA_NETWORK,
  STRANGER,
} from '../../rig/addresses.mjs';

const PRICE = BigInt(PRICES.shopper);

export async function run(shop) {
  const refuse = async (path, header, ...reasons) => {
    const before = await anyCalls();
    await takesNothing(async () => assertRefused(await shop.get(path, [header]), ...reasons));
    assert.equal(await anyCalls(), before, 'the facilitator was asked');
  };
  await relabelled(shop, refuse);
  await refs(shop, refuse);
  await signed(shop, refuse);
  await challenges(shop, refuse);
  await usedOnOthers(shop);
}

/** What `accepted` says differs from the offer; what is signed is right. */
async function relabelled(shop, refuse) {
  const labels = {
    'a lower amount': { amount: '1' },
    'a higher amount': { amount: '10001' },
    'another payee': { payTo: STRANGER },
    'another network': { network: SEPOLIA_NETWORK },
    'a network of another kind': { network: SOLANA_NETWORK },
    'another asset': { asset: SEPOLIA_USDC },
    'another scheme': { scheme: 'upto' },
    'more time': { maxTimeoutSeconds: 6_000 },
  };
  const payer = await basePayer();
  for (const [name, label] of Object.entries(labels)) {
    await check(`x402, relabelled: ${name}`, async () => {
      const path = fresh();
      const payment = await x402Base(await shop.unpaid(path), payer);
      await refuse(path, x402Header({ ...payment, accepted: { ...payment.accepted, ...label } }));
    });
  }
  await check('x402, of another resource', async () => {
    const path = fresh();
    const payment = await x402Base(await shop.unpaid(path), payer);
    const resource = { ...payment.resource, url: shop.server.publicUrl + fresh() };
    await refuse(path, x402Header({ ...payment, resource }), 'terms', 'not_ours');
  });
}

/** The reference that binds a payment on Base to one offer. */
async function refs(shop, refuse) {
  const payer = await basePayer();
  const withRef = async (path, change) => {
    const payment = await x402Base(await shop.unpaid(path), payer);
    const { extra } = payment.accepted;
    return x402Header({
      ...payment,
      accepted: { ...payment.accepted, extra: { ...extra, ref: change(extra.ref) } },
    });
  };
  const foreign = fresh();
  const foreignRef = (await x402Base(await shop.unpaid(foreign), payer)).accepted.extra.ref;
  const lastFlipped = (ref) => ref.slice(0, -2) + (ref.at(-2) === 'A' ? 'B' : 'A') + ref.at(-1);
  const laterExpiry = (ref) => {
    const [prefix, nonce, expiry, mac] = ref.split('.');
    return [prefix, nonce, /^\d+$/.test(expiry) ? String(Number(expiry) + 3_600) : `${expiry}z`, mac].join(
      '.',
    );
  };
  const changes = {
    'of another request': () => foreignRef,
    'with another MAC': lastFlipped,
    'with a later expiry': laterExpiry,
    'that is empty': () => '',
    'that is left out': () => undefined,
    'that is long': () => 'pb1.'.padEnd(3_000, 'A'),
  };
  for (const [name, change] of Object.entries(changes)) {
    await check(`x402, a ref ${name}`, async () => {
      const path = fresh();
      await refuse(path, await withRef(path, change));
    });
  }
}

/** What is signed differs from the offer. */
async function signed(shop, refuse) {
  const payer = await basePayer();
  const other = await basePayer();
  const cases = {
    'an underpayment': [{ value: '1' }, ['amount', 'terms']],
    'an overpayment': [{ value: '10001' }, ['amount', 'terms']],
    'to another payee': [{ to: STRANGER }, ['terms', 'signature']],
    'valid for 5 s only': [() => ({ validBefore: String(now() + 5) }), ['expired', 'terms']],
    'no longer valid': [() => ({ validBefore: String(now() - 1) }), ['expired', 'terms']],
    'valid for too long': [() => ({ validBefore: String(now() + 20 + 120 + 60) }), ['terms', 'expired']],
    'not valid yet': [() => ({ validAfter: String(now() + 600) }), ['terms', 'expired']],
    'of a huge value': [{ value: String(2n ** 200n) }, []],
    'of somebody else': [{ from: other.address }, ['signature', 'terms']],
  };
  for (const [name, [given, reasons]] of Object.entries(cases)) {
    const changes = () => (typeof given === 'function' ? given() : given);
    await check(`x402, signed: ${name}`, async () => {
      const path = fresh();
      await refuse(path, x402Header(await x402Base(await shop.unpaid(path), payer, changes())), ...reasons);
    });
    await check(`MPP evm, signed: ${name}`, async () => {
      const path = fresh();
      const { challenges: offers } = await shop.unpaid(path);
      await refuse(path, mppHeader(await mppEvm(offers.evm, payer, changes())), ...reasons);
    });
  }
  await check('x402, an underpayment whose accepted says so too', async () => {
    const path = fresh();
    const payment = await x402Base(await shop.unpaid(path), payer, { value: '1' });
    await refuse(
      path,
      x402Header({ ...payment, accepted: { ...payment.accepted, amount: '1' } }),
      'terms',
      'amount',
    );
  });
  await check('x402, signed for another chain', async () => {
    const path = fresh();
    const payment = await x402Base(await shop.unpaid(path), payer);
    const { to, value, validBefore } = payment.payload.authorization;
    const payload = await authorize(payer, { to, value, validBefore }, SEPOLIA_DOMAIN);
    await refuse(path, x402Header({ ...payment, payload }), 'signature');
  });
  await check('MPP evm, a nonce that is not the challenge’s', async () => {
    const path = fresh();
    const { challenges: offers } = await shop.unpaid(path);
    await refuse(path, mppHeader(await mppEvm(offers.evm, payer, { nonce: `0x${'7'.repeat(64)}` })));
  });
}

/** Challenges that this server did not make, or not like this. */
async function challenges(shop, refuse) {
  const payer = await basePayer();
  const request = (challenge, changes) => toBase64Url({ ...fromBase64(challenge.request), ...changes });
  const later = (challenge) => new Date(Date.parse(challenge.expires) + 3_600_000).toISOString();
  const opaque = (challenge) => toBase64Url({ ...fromBase64(challenge.opaque), n: 'AAAAAAAAAAAAAAAA' });
  const edits = {
    'a forged id': () => ({ id: Buffer.alloc(32, 7).toString('base64url') }),
    'another realm': () => ({ realm: 'elsewhere.example' }),
    'a lower amount': (challenge) => ({ request: request(challenge, { amount: '1' }) }),
    'another payee': (challenge) => ({ request: request(challenge, { recipient: STRANGER }) }),
    'a later expiry': (challenge) => ({ expires: later(challenge) }),
    'another opaque': (challenge) => ({ opaque: opaque(challenge) }),
    'no opaque': () => ({ opaque: undefined }),
    'another intent': () => ({ intent: 'session' }),
    'another method': () => ({ method: 'tempo' }),
    'a method that nobody offers': () => ({ method: 'stripe' }),
  };
  for (const [name, edit] of Object.entries(edits)) {
    await check(`MPP, a challenge with ${name}`, async () => {
      const path = fresh();
      const { evm } = (await shop.unpaid(path)).challenges;
      const edited = { ...evm, ...edit(evm) };
      await refuse(path, mppHeader(await mppEvm(edited, payer)));
      // Signed for what was offered, presented with what was edited.
      await refuse(path, mppHeader({ ...(await mppEvm(evm, payer)), challenge: edited }));
    });
  }
  await check('MPP, a challenge of another request', async () => {
    const { evm } = (await shop.unpaid(fresh())).challenges;
    await refuse(fresh(), mppHeader(await mppEvm(evm, payer)));
  });
  await check('MPP, a challenge of a cheaper route', async () => {
    const { evm } = (await shop.unpaid(fresh())).challenges;
    await refuse(DEARER, mppHeader(await mppEvm(evm, payer)));
  });
}

/** A payment that was taken buys one answer, to one request, under one offer. */
async function usedOnOthers(shop) {
  const payer = await basePayer();
  const make = {
    x402: async (unpaid) => x402Header(await x402Base(unpaid, payer)),
    'MPP evm': async (unpaid) => mppHeader(await mppEvm(unpaid.challenges.evm, payer)),
  };
  for (const [name, pay] of Object.entries(make)) {
    await check(`${name}, paid: another request and a dearer route`, async () => {
      const path = fresh();
      const header = await pay(await shop.unpaid(path));
      await takes({ base: PRICE }, async () => {
        const answer = assertPaid(await shop.get(path, [header]));
        assertRefused(await shop.get(fresh(), [header]), 'payment_used');
        assertRefused(await shop.get(DEARER, [header]), 'payment_used');
        assertSame(await shop.get(path, [header]), answer);
      });
    });
    await check(`${name}, not yet paid: another request does not spend it`, async () => {
      const path = fresh();
      const header = await pay(await shop.unpaid(path));
      await takesNothing(async () => assertRefused(await shop.get(fresh(), [header])));
      await takes({ base: PRICE }, async () => assertPaid(await shop.get(path, [header])));
    });
  }
  await check('x402, paid: whoever sees it on the chain gets no answer for a ref of his own', async () => {
    const path = fresh();
    const payment = await x402Base(await shop.unpaid(path), payer);
    await takes({ base: PRICE }, async () => {
      assertPaid(await shop.get(path, [x402Header(payment)]));
      const thief = await x402Base(await shop.unpaid(path), payer);
      assertRefused(
        await shop.get(path, [x402Header({ ...thief, payload: payment.payload })]),
        'payment_used',
      );
    });
  });
  await check('x402, paid: the request in another order and spelling is the same request', async () => {
    const path = fresh();
    const header = x402Header(await x402Base(await shop.unpaid(path), payer));
    await takes({ base: PRICE }, async () => {
      const answer = assertPaid(await shop.get(path, [header]));
      const { pathname, searchParams } = new URL(path, 'http://x');
      const reversed = [...searchParams]
        .reverse()
        .map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
      assertSame(await shop.get(`${pathname}?${reversed.join('&')}`, [header]), answer);
    });
  });
}
