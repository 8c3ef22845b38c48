// Vouchers that nobody signed, or not like this, and channels that are not ours. Nothing of them is believed:
// 402 with all offers, no facilitator asked, nothing charged.

import assert from 'node:assert/strict';
import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { Channel, channelOffer, depositElsewhere, onChain } from '../../lib/channels.mjs';
import { assertTooMany, Customer, DEPOSIT, newAddress, PRICE } from '../../lib/customers.mjs';
import { anyCalls } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { basePayer, x402Header } from '../../lib/payers.mjs';
import { assertPaid, assertRefused, Shop } from '../../lib/shop.mjs';
import { SEPOLIA_CHAIN_ID, SEPOLIA_NETWORK, SEPOLIA_USDC, STRANGER, USDC_E } from '../../rig/addresses.mjs';

// Order of the secp256k1 group: a signature's s and its mirror image n − s are both good mathematics.
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const ZERO = `0x${'0'.repeat(40)}`;
const FAILURES = 30;
const FAILURES_MAX = 20;

export async function run({ server }) {
  for (const [name, change] of Object.entries(SIGNATURES)) {
    await check(`a signature ${name}`, () => signature(server, change));
  }
  await check('a signature of somebody else', () => somebodyElse(server));
  await check('a voucher of another channel', () => otherChannel(server));
  await check('a voucher for another chain, contract or version', () => otherDomain(server));
  await check('signed for less than is said', () => saidMore(server));
  await check('a key that the payer has set for his vouchers', () => delegated(server));
  for (const [name, changes] of Object.entries(CONFIGS)) {
    await check(`a channel ${name}`, () => foreign(server, changes));
  }
  for (const name of FOREIGN_WITH_MONEY) {
    await check(`a channel ${name}, and money in it`, () => foreignWithMoney(server, CONFIGS[name]));
  }
  await check('a channel whose id is not the digest of its config', () => wrongId(server));
  await check('a payment whose label differs from what it pays with', () => labels(server));
  await check('numbers and bytes that are none', () => malformed(server));
  await check(`${FAILURES} wrong signatures of one address: 429, for nobody else`, () => tooMany(server));
}

/** Sends a forged payment; it is refused, and nobody is asked about it. */
async function refuse(shop, payment, ...reasons) {
  const calls = await anyCalls();
  const answer = await shop.get(fresh(), [x402Header(payment)]);
  assertRefused(answer, ...reasons);
  assert.equal(answer.settlement, undefined, 'a refusal with a receipt');
  assert.ok(answer.required.accepts.length > 1, 'a corrective answer for whom nobody knows');
  assert.equal(await anyCalls(), calls, 'the facilitator was asked');
}

const mirrored = (signature) => {
  const s = GROUP_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`;
};
const compact = (signature) => {
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith('1c') ? 1n << 255n : 0n);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}`;
};

const SIGNATURES = {
  'with the higher s': mirrored,
  'of 64 bytes': (signature) => signature.slice(0, -2),
  'of 64 bytes as EIP-2098 packs them': compact,
  'of 66 bytes': (signature) => `${signature}00`,
  'of no bytes': () => '0x',
  'of zeros': () => `0x${'0'.repeat(130)}`,
  'with another v': (signature) => signature.slice(0, -2) + (signature.endsWith('1b') ? '1c' : '1b'),
  'with a v of 29': (signature) => `${signature.slice(0, -2)}1d`,
  'that is no hexadecimal': (signature) => `${signature.slice(0, -2)}zz`,
};

async function signature(server, change) {
  const customer = await Customer.open(server);
  const payment = await customer.channel.voucher(customer.charged + PRICE);
  payment.payload.voucher.signature = change(payment.payload.voucher.signature);
  await refuse(customer.shop, payment, 'signature', 'malformed');
  // The kept answer is nobody's without the signature either.
  const kept = await customer.channel.voucher(customer.charged);
  kept.payload.voucher.signature = change(kept.payload.voucher.signature);
  const { path } = customer.last;
  assertRefused(await customer.shop.get(path, [x402Header(kept)]), 'signature', 'malformed');
  await customer.assertUncharged();
}

const somebody = () => privateKeyToAccount(generatePrivateKey());

async function somebodyElse(server) {
  const customer = await Customer.open(server);
  const thief = new Channel(customer.channel.offer, customer.payer, {
    ...customer.channel.config,
    signer: somebody(),
  });
  const payment = await thief.voucher(customer.charged + PRICE);
  payment.payload.channelConfig = customer.channel.config;
  payment.payload.voucher.channelId = customer.channel.id;
  await refuse(customer.shop, payment, 'signature');
  await customer.assertUncharged();
}

async function otherChannel(server) {
  const customer = await Customer.open(server);
  const other = await Customer.open(server);
  const payment = await customer.channel.voucher(customer.charged + PRICE);
  payment.payload.voucher = await other.channel.signed(customer.charged + PRICE);
  await refuse(customer.shop, payment, 'signature', 'terms', 'malformed');
  payment.payload.voucher.channelId = customer.channel.id;
  await refuse(customer.shop, payment, 'signature');
  await customer.assertUncharged();
}

async function otherDomain(server) {
  const customer = await Customer.open(server);
  const { domain, id } = customer.channel;
  for (const change of [
    { chainId: SEPOLIA_CHAIN_ID },
    { verifyingContract: STRANGER },
    { version: '2' },
    { name: 'x402 Batch' },
  ]) {
    const payment = await customer.channel.voucher(customer.charged + PRICE);
    const elsewhere = new Channel(customer.channel.offer, customer.payer, customer.channel.config);
    elsewhere.domain = { ...domain, ...change };
    elsewhere.id = id;
    payment.payload.voucher = await elsewhere.signed(customer.charged + PRICE);
    await refuse(customer.shop, payment, 'signature');
  }
  await customer.assertUncharged();
}

async function saidMore(server) {
  const customer = await Customer.open(server);
  const payment = await customer.channel.voucher(customer.charged);
  payment.payload.voucher.maxClaimableAmount = String(customer.charged + PRICE);
  await refuse(customer.shop, payment, 'signature');
  await customer.assertUncharged();
}

async function delegated(server) {
  const customer = await Customer.open(server, { signer: somebody() });
  await customer.pay();
}

const CONFIGS = {
  'to another receiver': { receiver: STRANGER },
  'whose claims somebody else signs': { receiverAuthorizer: STRANGER },
  'in another token': { token: SEPOLIA_USDC },
  'in a token of another chain': { token: USDC_E },
  'with a shorter delay': { withdrawDelay: 899 },
  'with a longer delay': { withdrawDelay: 86_400 },
  'without a delay': { withdrawDelay: 0 },
  'of a wallet that signs by ERC-1271': { payerAuthorizer: ZERO },
};

// The contract would take a deposit for these.
const FOREIGN_WITH_MONEY = [
  'to another receiver',
  'whose claims somebody else signs',
  'with a longer delay',
  'of a wallet that signs by ERC-1271',
];

async function foreign(server, changes) {
  const shop = new Shop(server, newAddress());
  const payer = await basePayer();
  const channel = new Channel(channelOffer(await shop.unpaid(fresh())), payer, changes);
  await refuse(shop, await channel.voucher(PRICE), 'terms', 'signature');
  await refuse(shop, await channel.deposit(DEPOSIT, PRICE), 'terms', 'signature');
}

/** Money in a channel that is not ours is nothing to us: neither its vouchers nor its refunds. */
async function foreignWithMoney(server, changes) {
  const shop = new Shop(server, newAddress());
  const payer = await basePayer(2 * DEPOSIT);
  const channel = new Channel(channelOffer(await shop.unpaid(fresh())), payer, changes);
  await depositElsewhere(channel, DEPOSIT);
  await refuse(shop, await channel.voucher(PRICE), 'terms', 'signature');
  const answer = await shop.get(fresh(), [x402Header(await channel.refund(0))]);
  assert.notEqual(answer.settlement?.success, true, `a refund of a foreign channel: ${answer}`);
  assert.equal(answer.status, 402, String(answer));
  assert.equal((await onChain(channel)).balance, BigInt(DEPOSIT));
}

async function wrongId(server) {
  const customer = await Customer.open(server);
  const other = new Channel(customer.channel.offer, customer.payer);
  // The voucher is good for the channel that has money, the config beside it is another's; and the reverse.
  const payment = await customer.channel.voucher(customer.charged + PRICE);
  await refuse(
    customer.shop,
    { ...payment, payload: { ...payment.payload, channelConfig: other.config } },
    'terms',
    'signature',
    'malformed',
  );
  const reverse = await other.voucher(customer.charged + PRICE);
  reverse.payload.voucher.channelId = customer.channel.id;
  await refuse(customer.shop, reverse, 'terms', 'signature', 'malformed');
  await customer.assertUncharged();
}

async function labels(server) {
  const customer = await Customer.open(server);
  const { offer } = customer.channel;
  const payment = await customer.channel.voucher(customer.charged + PRICE);
  for (const change of [{ scheme: 'exact' }, { scheme: 'upto' }, { network: SEPOLIA_NETWORK }]) {
    await refuse(customer.shop, { ...payment, accepted: { ...offer, ...change } });
  }
  // Offers are remembered for long and come from other routes: what picks the scheme is enough.
  const old = { ...offer, amount: '1', maxTimeoutSeconds: 1 };
  const resource = { url: 'https://elsewhere.example/v1/other' };
  assertPaid(await customer.shop.get(fresh(), [x402Header({ ...payment, accepted: old, resource })]));
  customer.charged += PRICE;
  await customer.assertUncharged();
}

async function malformed(server) {
  const customer = await Customer.open(server);
  const shop = () => new Shop(server, newAddress());
  const voucher = await customer.channel.voucher(customer.charged + PRICE);
  const right = voucher.payload;
  const max = customer.charged + PRICE;
  const payloads = {
    'no type': { ...right, type: undefined },
    'an unknown type': { ...right, type: 'claim' },
    'no config': { ...right, channelConfig: undefined },
    'no voucher': { ...right, voucher: undefined },
    'a null voucher': { ...right, voucher: null },
    'a list': [right],
    'a deposit without one': { ...right, type: 'deposit' },
    'an exact payment': { authorization: {}, signature: right.voucher.signature },
  };
  const maxima = [
    -max,
    `0x${max.toString(16)}`,
    `${max}.0`,
    ` ${max}`,
    `+${max}`,
    `${max}e0`,
    '',
    '１',
    null,
  ];
  for (const each of maxima) {
    payloads[`a ceiling of ${JSON.stringify(each)}`] = {
      ...right,
      voucher: { ...right.voucher, maxClaimableAmount: each },
    };
  }
  payloads['a ceiling beyond 128 bits'] = {
    ...right,
    voucher: { ...right.voucher, maxClaimableAmount: String(2n ** 128n + BigInt(max)) },
  };
  payloads['a delay that is text'] = {
    ...right,
    channelConfig: { ...right.channelConfig, withdrawDelay: 'soon' },
  };
  payloads['an address of 19 bytes'] = {
    ...right,
    channelConfig: { ...right.channelConfig, payer: right.channelConfig.payer.slice(0, -2) },
  };
  payloads['a salt of 31 bytes'] = {
    ...right,
    channelConfig: { ...right.channelConfig, salt: right.channelConfig.salt.slice(0, -2) },
  };
  for (const accepted of [undefined, null, {}]) {
    assertRefused(await shop().get(fresh(), [x402Header({ ...voucher, accepted })]));
  }
  // A member that stands twice: which one counts is not for anybody to guess.
  const twice = JSON.stringify(voucher).replace(
    '"maxClaimableAmount":',
    '"maxClaimableAmount":"1","maxClaimableAmount":',
  );
  const header = ['payment-signature', Buffer.from(twice).toString('base64')];
  assertRefused(await shop().get(fresh(), [header]));
  for (const [name, payload] of Object.entries(payloads)) {
    const answer = await shop().get(fresh(), [x402Header({ ...voucher, payload })]);
    assert.equal(answer.status, 402, `${name}: ${answer}`);
    assertRefused(answer);
  }
  await customer.assertUncharged();
  return `${Object.keys(payloads).length} of them`;
}

async function tooMany(server) {
  const victim = await Customer.open(server);
  const attacker = new Shop(server, newAddress());
  const payment = await victim.channel.voucher(victim.charged + PRICE);
  const statuses = [];
  for (let count = 0; count < FAILURES; count += 1) {
    const broken = structuredClone(payment);
    broken.payload.voucher.signature = `0x${toHex(count + 1, { size: 64 }).slice(2)}1b`;
    const answer = await attacker.get(fresh(), [x402Header(broken)]);
    statuses.push(answer.status);
    if (answer.status !== 402) assertTooMany(answer);
  }
  const refused = statuses.filter((status) => status === 402).length;
  assert.ok(refused <= FAILURES_MAX, `${refused} wrong signatures were looked at`);
  assert.ok(refused >= FAILURES_MAX / 2, `only ${refused} wrong signatures were looked at`);
  // Whose name they bore pays on.
  await victim.pay();
  await (await Customer.open(server)).pay();
  return `429 after ${refused}`;
}
