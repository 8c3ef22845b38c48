// npm mppx on Base. The first argument says what it is shown of a 402: `mpp`, `x402` or `both`, of which it
// chooses; the second may be `sepolia`.

import { Mppx } from 'mppx/client';
import { assets } from 'mppx/evm';
import { evm } from 'mppx/evm/client';
import { privateKeyToAccount } from 'viem/accounts';
import { PAYER_KEY } from '../rig/addresses.mjs';
import { report, TARGET } from './common.mjs';

const [shown, chain] = process.argv.slice(2);
const HIDDEN = { mpp: 'payment-required', x402: 'www-authenticate' };

async function narrowed(input, init) {
  const response = await fetch(input, init);
  if (response.status !== 402 || !HIDDEN[shown]) return response;
  const headers = new Headers(response.headers);
  headers.delete(HIDDEN[shown]);
  const narrow = new Response(response.body, { status: 402, headers });
  Object.defineProperty(narrow, 'url', { value: response.url });
  return narrow;
}

const account = privateKeyToAccount(PAYER_KEY);
const { USDC } = chain === 'sepolia' ? assets.baseSepolia : assets.base;
const mppx = Mppx.create({
  polyfill: false,
  fetch: narrowed,
  methods: [evm({ account, currencies: [USDC] })],
});
await report(await mppx.fetch(TARGET));
