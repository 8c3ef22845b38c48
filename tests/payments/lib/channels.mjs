// Payment channels (x402 `batch-settlement`) from the payer's side, piece by piece, so that each piece can be
// forged: what a channel is, what is signed, what is sent, and what the chain knows of it.

import { randomBytes } from 'node:crypto';
import {
  concatHex,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  parseAbi,
} from 'viem';
import {
  BASE_DOMAIN,
  CHANNELS,
  CHANNELS_DOMAIN,
  DEPOSIT_COLLECTOR,
  PAY_TO,
  SEPOLIA_CHAIN_ID,
  SEPOLIA_DOMAIN,
  SEPOLIA_NETWORK,
  STRANGER,
  USDC,
} from '../rig/addresses.mjs';
import { rpc, transact } from '../rig/chain.mjs';
import { now } from './payers.mjs';

const CONFIG = [
  { name: 'payer', type: 'address' },
  { name: 'payerAuthorizer', type: 'address' },
  { name: 'receiver', type: 'address' },
  { name: 'receiverAuthorizer', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'withdrawDelay', type: 'uint40' },
  { name: 'salt', type: 'bytes32' },
];
const TYPES = {
  ChannelConfig: CONFIG,
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'maxClaimableAmount', type: 'uint128' },
  ],
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};
const CHANNELS_ABI = parseAbi([
  `struct Config { ${CONFIG.map(({ name, type }) => `${type} ${name};`).join(' ')} }`,
  'function deposit(Config config, uint128 amount, address collector, bytes data)',
  'function initiateWithdraw(Config config, uint128 amount)',
  'function finalizeWithdraw(Config config)',
  'function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32) view returns (uint128 amount, uint40 initiatedAt)',
  'function refundNonce(bytes32) view returns (uint256)',
  'function receivers(address, address) view returns (uint128 totalClaimed, uint128 totalSettled)',
  'function getChannelId(Config config) view returns (bytes32)',
]);
const SECOND_WORD_BITS = 128n;
const PENDING_WITHDRAWALS_SLOT = 2n;
const SOME_ETHER = '0xde0b6b3a7640000';

export const randomSalt = () => `0x${randomBytes(32).toString('hex')}`;

/** The offer of channels in an unpaid answer, or in a corrective one. */
export const channelOffer = (unpaid) =>
  unpaid.required?.accepts.find(({ scheme }) => scheme === 'batch-settlement');

const isSepolia = ({ network }) => network === SEPOLIA_NETWORK;

/** The EIP-712 domain of channels on the network of an offer. */
const domainOf = (offer) =>
  isSepolia(offer) ? { ...CHANNELS_DOMAIN, chainId: SEPOLIA_CHAIN_ID } : CHANNELS_DOMAIN;

/** A channel of a payer to the receiver of an offer. */
export class Channel {
  /**
   * `changes` go into the config before its digest is taken; `signer` signs vouchers, by default the payer does.
   */
  constructor(offer, payer, { signer = payer, ...changes } = {}) {
    this.offer = offer;
    this.payer = payer;
    this.signer = signer;
    this.domain = domainOf(offer);
    this.config = {
      payer: payer.address,
      payerAuthorizer: signer.address,
      receiver: offer.payTo,
      receiverAuthorizer: offer.extra.receiverAuthorizer,
      token: offer.asset,
      withdrawDelay: offer.extra.withdrawDelay,
      salt: randomSalt(),
      ...changes,
    };
    this.id = this.#hash('ChannelConfig', this.config);
  }

  #hash(primaryType, message) {
    return hashTypedData({ domain: this.domain, types: TYPES, primaryType, message });
  }

  /** What is signed up to a ceiling. */
  async signed(max) {
    const message = { channelId: this.id, maxClaimableAmount: BigInt(max) };
    const typed = { domain: this.domain, types: TYPES, primaryType: 'Voucher', message };
    const signature = await this.signer.signTypedData(typed);
    return { channelId: this.id, maxClaimableAmount: String(max), signature };
  }

  /** A payment as it is sent: what is paid with, in the envelope of x402. */
  #payment(payload) {
    return { x402Version: 2, accepted: this.offer, payload, extensions: {} };
  }

  /** A voucher; `changes` go into the payload after it is signed. */
  async voucher(max, changes = {}) {
    const voucher = await this.signed(max);
    return this.#payment({ type: 'voucher', channelConfig: this.config, voucher, ...changes });
  }

  /** A deposit and the voucher that is to be sold after it; `changes` go into the authorization before it is signed. */
  async deposit(amount, max, changes = {}) {
    const voucher = await this.signed(max);
    const salt = changes.salt ?? randomSalt();
    const nonce = keccak256(
      encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [this.id, BigInt(salt)]),
    );
    const message = {
      from: this.config.payer,
      to: DEPOSIT_COLLECTOR,
      value: String(amount),
      validAfter: '0',
      validBefore: String(now() + this.offer.maxTimeoutSeconds),
      nonce,
      ...changes,
    };
    const { name, version } = this.offer.extra;
    const domain = { ...(isSepolia(this.offer) ? SEPOLIA_DOMAIN : BASE_DOMAIN), name, version };
    const primaryType = 'ReceiveWithAuthorization';
    const signature = await this.payer.signTypedData({ domain, types: TYPES, primaryType, message });
    const { validAfter, validBefore } = message;
    const erc3009Authorization = { validAfter, validBefore, salt, signature };
    const deposit = { amount: String(amount), authorization: { erc3009Authorization } };
    return this.#payment({ type: 'deposit', channelConfig: this.config, voucher, deposit });
  }

  /** A request for money back: all of it, or so much. */
  async refund(charged, amount) {
    const voucher = await this.signed(charged);
    const wanted = amount === undefined ? {} : { amount: String(amount) };
    return this.#payment({ type: 'refund', channelConfig: this.config, voucher, ...wanted });
  }
}

async function read(functionName, ...args) {
  const data = encodeFunctionData({ abi: CHANNELS_ABI, functionName, args });
  const result = await rpc('eth_call', [{ to: CHANNELS, data }, 'latest']);
  return decodeFunctionResult({ abi: CHANNELS_ABI, functionName, data: result });
}

/** What the chain knows of a channel. */
export async function onChain({ id }) {
  const [[balance, claimed], [withdrawal, withdrawAt], refundNonce] = await Promise.all([
    read('channels', id),
    read('pendingWithdrawals', id),
    read('refundNonce', id),
  ]);
  return { balance, claimed, withdrawal, withdrawAt, refundNonce };
}

/** What was claimed for the receiver of this server, of all channels, and what of it was moved to him. */
export async function ofReceiver(receiver = PAY_TO) {
  const [claimed, swept] = await read('receivers', receiver, USDC);
  return { claimed, swept };
}

/** The id that the contract gives a config. */
export const idOnChain = (config) => read('getChannelId', config);

/** Sends a transaction from any address: the node signs for everybody, and pays. */
async function transactAs(address, functionName, ...args) {
  await rpc('anvil_setBalance', [address, SOME_ETHER]);
  await rpc('anvil_impersonateAccount', [address]);
  const data = encodeFunctionData({ abi: CHANNELS_ABI, functionName, args });
  return transact(address, CHANNELS, data);
}

/** Begins a withdrawal by force. */
export const initiateWithdraw = ({ config }, amount) =>
  transactAs(config.payer, 'initiateWithdraw', config, BigInt(amount));

/** Ends a withdrawal by force, which the contract allows once its delay is over. */
export const finalizeWithdraw = ({ config }) => transactAs(config.payer, 'finalizeWithdraw', config);

/** Hands a deposit to the contract, as everybody may. */
export async function makeDeposit({ config }, { payload }) {
  const { amount, authorization } = payload.deposit;
  const { validAfter, validBefore, salt, signature } = authorization.erc3009Authorization;
  const data = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
    [BigInt(validAfter), BigInt(validBefore), BigInt(salt), signature],
  );
  await transactAs(STRANGER, 'deposit', config, BigInt(amount), DEPOSIT_COLLECTOR, data);
}

/** Puts money into a channel that no server is told of. */
export const depositElsewhere = async (channel, amount) =>
  makeDeposit(channel, await channel.deposit(amount, 1));

/** As if a withdrawal had been begun so much earlier: the chain's clock, which payments hang on, stays where it is. */
export async function ageWithdrawal({ id }, seconds) {
  const slot = keccak256(concatHex([id, `0x${PENDING_WITHDRAWALS_SLOT.toString(16).padStart(64, '0')}`]));
  const word = BigInt(await rpc('eth_getStorageAt', [CHANNELS, slot, 'latest']));
  const earlier = word - (BigInt(seconds) << SECOND_WORD_BITS);
  await rpc('anvil_setStorageAt', [CHANNELS, slot, `0x${earlier.toString(16).padStart(64, '0')}`]);
  await rpc('evm_mine');
}
