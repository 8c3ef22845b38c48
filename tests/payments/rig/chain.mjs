// What the suites and the rig ask of the chains, by JSON-RPC: balances, transfers, blocks.

import { BASE_RPC, DEV0, PAY_TO, SOLANA_RPC, STRANGER, TEMPO_RPC, USDC, USDC_E } from './addresses.mjs';

const RECEIPT_POLL_MS = 50;
const RECEIPT_WAIT_MS = 20_000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** One call; throws what the node says. */
export async function rpc(method, params = [], url = BASE_RPC) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = await response.json();
  if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
}

const word = (address) => address.slice(2).toLowerCase().padStart(64, '0');
const number = (value) => BigInt(value).toString(16).padStart(64, '0');

/** Calldata of ERC-20 `transfer`. */
export const transferData = (to, value) => `0xa9059cbb${word(to)}${number(value)}`;

/** Calldata of the mock token's `mint`, which everybody may call. */
export const mintData = (to, value) => `0x40c10f19${word(to)}${number(value)}`;

async function balanceOf(token, who, url) {
  return BigInt(await rpc('eth_call', [{ to: token, data: `0x70a08231${word(who)}` }, 'latest'], url));
}

/** What somebody has on Base, in atomic USDC. */
export const tokensOf = (who) => balanceOf(USDC, who, BASE_RPC);

/** What the server has received so far, in atomic USDC, by rail. */
export async function received() {
  const [base, tempo, solana] = await Promise.all([
    balanceOf(USDC, PAY_TO, BASE_RPC),
    balanceOf(USDC_E, PAY_TO, TEMPO_RPC),
    rpc('rigBalances', [], SOLANA_RPC),
  ]);
  return { base, solana: BigInt(solana.merchant), tempo };
}

/** What was received since, by rail, without the rails that received nothing. */
export async function growth(before) {
  const now = await received();
  const grown = Object.entries(now).map(([rail, sum]) => [rail, sum - before[rail]]);
  return Object.fromEntries(grown.filter(([, sum]) => sum !== 0n));
}

/** The receipt of a transaction, once it is mined. */
export async function receiptOf(hash, url = BASE_RPC) {
  for (const end = Date.now() + RECEIPT_WAIT_MS; Date.now() < end; await sleep(RECEIPT_POLL_MS)) {
    const receipt = await rpc('eth_getTransactionReceipt', [hash], url);
    if (receipt) return receipt;
  }
  throw new Error(`not mined: ${hash}`);
}

/** Sends from one of the node's own accounts and waits; throws when the transaction fails. */
export async function transact(from, to, data, url = BASE_RPC) {
  const hash = await broadcast(from, to, data, url);
  const receipt = await receiptOf(hash, url);
  if (receipt.status !== '0x1') throw new Error(`failed: ${hash}`);
  return receipt;
}

// A node gives each transaction of an account the next number, and two at once the same one: they go one by
// one.
let lastSent = Promise.resolve();

/** Sends from one of the node's own accounts and does not wait. */
export function broadcast(from, to, data, url = BASE_RPC) {
  const send = () => rpc('eth_sendTransaction', [{ from, to, gas: '0x2dc6c0', data }], url);
  const sent = lastSent.then(send);
  lastSent = sent.catch(() => {});
  return sent;
}

/** Gives an account USDC on Base. */
export const fundBase = (address, value = 1_000_000) => transact(STRANGER, USDC, mintData(address, value));

/** Gives an account tokens on Tempo. */
export const fundTempo = (token, address, value = 1_000_000) =>
  transact(DEV0, token, transferData(address, value), TEMPO_RPC);

// Where blocks are made on demand the chain's clock would stand still between transactions: it is moved on by
// an empty block every second.
const CLOCK_MS = 1_000;
let clockRuns = false;

/** Keeps the clocks of both EVM chains going while this process lives. */
export function startClocks() {
  clockRuns = true;
  const tick = (url) => rpc('evm_mine', [], url).catch(() => {});
  setInterval(() => clockRuns && tick(BASE_RPC), CLOCK_MS).unref();
  setInterval(() => tick(TEMPO_RPC), CLOCK_MS).unref();
}

/** Runs something while Base makes a block every so many seconds only, as it does in the world. */
export async function withBlocksOf(seconds, run) {
  clockRuns = false;
  await rpc('evm_setAutomine', [false]);
  await rpc('evm_setIntervalMining', [seconds]);
  try {
    return await run();
  } finally {
    await rpc('evm_setIntervalMining', [0]);
    await rpc('evm_setAutomine', [true]);
    await rpc('evm_mine');
    clockRuns = true;
  }
}

/** Runs something while Base is so many seconds ahead. What it did to the chain is undone with it. */
export async function withTimeAhead(seconds, run) {
  const before = await rpc('evm_snapshot');
  await rpc('evm_increaseTime', [seconds]);
  await rpc('evm_mine');
  try {
    return await run();
  } finally {
    await rpc('evm_revert', [before]);
  }
}
