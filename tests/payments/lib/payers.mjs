// Our own payers: they make x402 payloads and MPP credentials piece by piece, so that each piece can be
// forged.

import { randomBytes } from 'node:crypto';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { Mppx, tempo } from 'mppx/client';
import { createClient, encodeFunctionData, http, keccak256, parseAbi, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { tempo as tempoChain } from 'viem/tempo/chains';
import { BASE_CHAIN_ID, BASE_DOMAIN, PATH_USD, SOLANA_RPC, TEMPO_RPC, USDC_E } from '../rig/addresses.mjs';
import { fundBase, fundTempo } from '../rig/chain.mjs';
import { payer as solanaPayer } from '../rig/solana_keys.mjs';

export { generatePrivateKey };

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};
const TOKEN = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
]);

export const now = () => Math.floor(Date.now() / 1000);
export const toBase64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64');
export const toBase64Url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export const fromBase64 = (text) => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

/** A new account on Base, with money. */
export async function basePayer(value) {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundBase(account.address, value);
  return account;
}

/** A new key on Tempo, whose account has money for a payment and its fee. */
export async function tempoKey() {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  await fundTempo(USDC_E, address);
  await fundTempo(PATH_USD, address);
  return key;
}

/** Signs an EIP-3009 authorization; `changes` go in before the signature. */
export async function authorize(account, { to, value, ...changes }, domain = BASE_DOMAIN) {
  const authorization = {
    from: account.address,
    to,
    value: String(value),
    validAfter: '0',
    validBefore: String(now() + 20),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...changes,
  };
  const signature = await account.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  return { authorization, signature };
}

/** Calldata with which anybody can execute an authorization. */
export function executionData({ authorization: a, signature }) {
  const args = [a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature];
  return encodeFunctionData({ abi: TOKEN, functionName: 'transferWithAuthorization', args });
}

/** The first offer of a family of networks, `eip155:` or `solana:`. */
export const offerOf = (unpaid, family) =>
  unpaid.required.accepts.find(({ network }) => network.startsWith(family));

/** The header of an x402 payment. */
export const x402Header = (payment) => ['payment-signature', toBase64(payment)];

/** A payment on Base by x402; `changes` go into the authorization before it is signed. */
export async function x402Base(unpaid, account, changes = {}) {
  const accepted = offerOf(unpaid, 'eip155:');
  const { amount, payTo, maxTimeoutSeconds } = accepted;
  const window = { validBefore: String(now() + maxTimeoutSeconds) };
  const payload = await authorize(account, { to: payTo, value: amount, ...window, ...changes });
  return { x402Version: 2, resource: unpaid.required.resource, accepted, payload, extensions: {} };
}

/** A payment on Solana by x402. */
export async function x402Solana(unpaid) {
  const accepted = offerOf(unpaid, 'solana:');
  const scheme = new ExactSvmScheme(solanaPayer, { rpcUrl: SOLANA_RPC });
  const { payload } = await scheme.createPaymentPayload(2, accepted, {});
  return { x402Version: 2, resource: unpaid.required.resource, accepted, payload, extensions: {} };
}

/** The header of an MPP payment. */
export const mppHeader = (credential) => ['authorization', `Payment ${toBase64Url(credential)}`];

/** A payment on Base by MPP; `changes` go into the authorization before it is signed. */
export async function mppEvm(challenge, account, changes = {}) {
  const { amount, recipient } = fromBase64(challenge.request);
  const signed = await authorize(account, {
    to: recipient,
    value: amount,
    validBefore: String(Math.floor(Date.parse(challenge.expires) / 1000)),
    nonce: keccak256(toHex(challenge.id + challenge.realm)),
    ...changes,
  });
  const payload = { type: 'authorization', ...signed.authorization, signature: signed.signature };
  return { challenge, payload, source: `did:pkh:eip155:${BASE_CHAIN_ID}:${account.address}` };
}

/** A payment on Tempo by MPP, signed by npm mppx; `asked` replaces parts of the request before it signs. */
export async function mppTempo(challenge, key, asked = {}) {
  const request = toBase64Url({ ...fromBase64(challenge.request), ...asked });
  const fields = Object.entries({ ...challenge, request }).map(([name, value]) => `${name}="${value}"`);
  const headers = { 'www-authenticate': `Payment ${fields.join(', ')}` };
  const account = privateKeyToAccount(key);
  const getClient = () => createClient({ account, chain: tempoChain, transport: http(TEMPO_RPC) });
  const mppx = Mppx.create({ polyfill: false, methods: [tempo.charge({ account, getClient })] });
  const credential = await mppx.createCredential(new Response(null, { status: 402, headers }));
  const { payload, source } = fromBase64(credential.replace(/^Payment /, ''));
  return { challenge, payload, source };
}
