// Headers that are broken, doubled, or where they do not belong.

import assert from 'node:assert/strict';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import {
  basePayer,
  mppEvm,
  mppHeader,
  toBase64,
  toBase64Url,
  x402Base,
  x402Header,
} from '../../lib/payers.mjs';
import { PRICES } from '../../lib/server.mjs';
import { assertChallenge, assertPaid, assertRefused, takes, takesNothing } from '../../lib/shop.mjs';

// Order of the secp256k1 group: a signature's s and its mirror image n − s are both good mathematics.
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const BIG_HEADER_BYTES = 9_000;

export async function run(shop) {
  const payer = await basePayer();
  await malformed(shop);
  await signatures(shop, payer);
  await versions(shop, payer);
  await doubled(shop, payer);
  await foreign(shop);
}

async function malformed(shop) {
  const x402 = (value) => ['payment-signature', value];
  const mpp = (value) => ['authorization', `Payment ${value}`];
  const cases = {
    'not base64': '%%%not base64%%%',
    'not JSON': Buffer.from('{"x402Version":2,').toString('base64'),
    'not UTF-8': Buffer.from([0xff, 0xfe, 0x80]).toString('base64'),
    null: toBase64(null),
    'a list': toBase64([]),
    'a number': toBase64(7),
    'an empty object': toBase64({}),
    'nulls inside': toBase64({ x402Version: 2, accepted: null, payload: null, challenge: null }),
    '9 kB': toBase64({ x402Version: 2, filler: 'x'.repeat((BIG_HEADER_BYTES * 3) / 4) }),
    '9 kB of nothing': 'A'.repeat(BIG_HEADER_BYTES),
    'deeply nested': Buffer.from('['.repeat(3_000)).toString('base64'),
  };
  for (const [name, value] of Object.entries(cases)) {
    await check(`a payment that is ${name}`, () =>
      takesNothing(async () => {
        const path = fresh();
        assertRefused(await shop.get(path, [x402(value)]), 'malformed', 'not_ours');
        assertRefused(await shop.get(path, [mpp(value)]), 'malformed', 'not_ours');
      }),
    );
  }
  await check('a payment of the MPP flavour in the x402 header, and the other way round', () =>
    takesNothing(async () => {
      const path = fresh();
      const unpaid = await shop.unpaid(path);
      const payer = await basePayer();
      const credential = toBase64Url(await mppEvm(unpaid.challenges.evm, payer));
      assertRefused(await shop.get(path, [x402(credential)]), 'malformed');
      const payment = toBase64(await x402Base(unpaid, payer));
      assertRefused(await shop.get(path, [mpp(payment)]), 'malformed');
    }),
  );
}

async function signatures(shop, payer) {
  const highS = (signature) => {
    const s = GROUP_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.endsWith('1b') ? '1c' : '1b';
    return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`;
  };
  const cases = {
    'with its mirror image': highS,
    'of 64 bytes': (signature) => signature.slice(0, -2),
    'of 66 bytes': (signature) => `${signature}00`,
    'of no bytes': () => '0x',
    'of zeros': () => `0x${'0'.repeat(130)}`,
    'that is no hex': (signature) => `${signature.slice(0, -2)}zz`,
  };
  for (const [name, change] of Object.entries(cases)) {
    await check(`x402 and MPP evm, a signature ${name}`, () =>
      takesNothing(async () => {
        const path = fresh();
        const unpaid = await shop.unpaid(path);
        const payment = await x402Base(unpaid, payer);
        const payload = { ...payment.payload, signature: change(payment.payload.signature) };
        assertRefused(await shop.get(path, [x402Header({ ...payment, payload })]), 'signature', 'malformed');
        const credential = await mppEvm(unpaid.challenges.evm, payer);
        credential.payload.signature = change(credential.payload.signature);
        assertRefused(await shop.get(path, [mppHeader(credential)]), 'signature', 'malformed');
      }),
    );
  }
}

async function versions(shop, payer) {
  for (const version of [1, 3, '2', null]) {
    await check(`x402 of version ${JSON.stringify(version)}`, () =>
      takesNothing(async () => {
        const path = fresh();
        const payment = await x402Base(await shop.unpaid(path), payer);
        assertRefused(await shop.get(path, [x402Header({ ...payment, x402Version: version })]));
      }),
    );
  }
}

async function doubled(shop, payer) {
  const refuse = (path, headers, name) =>
    takesNothing(async () => {
      const answer = await shop.get(path, headers);
      assert.equal(answer.status, 400, String(answer));
      assert.equal(answer.json.error.code, 'INVALID_PARAMS');
      const named = JSON.stringify(answer.json.error.details.parameters).toLowerCase();
      assert.ok(named.includes(name), `${name} is not named: ${answer}`);
    });
  await check('two payments in one request, and each of them alone afterwards', async () => {
    const path = fresh();
    const unpaid = await shop.unpaid(path);
    const x402 = x402Header(await x402Base(unpaid, payer));
    const mpp = mppHeader(await mppEvm(unpaid.challenges.evm, payer));
    await refuse(path, [x402, mpp], 'authorization');
    await takes({ base: BigInt(PRICES.shopper) }, async () => assertPaid(await shop.get(path, [x402])));
    await takes({ base: BigInt(PRICES.shopper) }, async () => assertPaid(await shop.get(path, [mpp])));
  });
  await check('a payment header that is repeated', async () => {
    const path = fresh();
    const unpaid = await shop.unpaid(path);
    const x402 = x402Header(await x402Base(unpaid, payer));
    await refuse(path, [x402, x402], 'payment-signature');
    const mpp = mppHeader(await mppEvm(unpaid.challenges.evm, payer));
    await refuse(path, [mpp, mpp], 'authorization');
  });
}

async function foreign(shop) {
  const cases = {
    'x402 version 1': [
      ['x-payment', toBase64({ x402Version: 1, scheme: 'exact', network: 'base', payload: {} })],
    ],
    'Bearer authorization': [['authorization', 'Bearer abcdefgh']],
    'Basic authorization': [['authorization', 'Basic dXNlcjpwYXNz']],
  };
  for (const [name, headers] of Object.entries(cases)) {
    await check(`${name} counts as no payment`, async () => {
      const answer = await shop.get(fresh(), headers);
      assertChallenge(answer);
      assert.ok(!['malformed', 'not_ours'].includes(answer.reason), String(answer));
    });
  }
}
