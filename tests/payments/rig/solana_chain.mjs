// Solana offline: npm litesvm, which runs the real token, associated-token and memo programs in this process,
// behind as much JSON-RPC as the client, the facilitator and the server need. A method that is not here is
// logged and refused.

import { createServer } from 'node:http';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  address,
  getAddressEncoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  lamports,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { SOLANA_RPC, SOLANA_USDC } from './addresses.mjs';
import { facilitatorKey, merchant, payer } from './solana_keys.mjs';

const SLOT_MS = 400;
const PAYER_FUNDS = 1_000_000_000n;
const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const AMOUNT_AT = 64;

const svm = new LiteSVM();
const mint = address(SOLANA_USDC);
const encoder = getAddressEncoder();
const statuses = new Map();
const history = []; // newest first
let slot = 100;
setInterval(() => (slot += 1), SLOT_MS);

function putAccount(at, data) {
  const space = BigInt(data.length);
  const programAddress = TOKEN_PROGRAM_ADDRESS;
  svm.setAccount({
    address: at,
    data,
    executable: false,
    exists: true,
    lamports: lamports(2_039_280n),
    programAddress,
    space,
  });
}

function putMint() {
  const data = new Uint8Array(MINT_BYTES);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true);
  data.set(encoder.encode(merchant.address), 4);
  view.setBigUint64(36, 10n ** 15n, true);
  data[44] = 6; // decimals
  data[45] = 1; // initialized
  putAccount(mint, data);
}

async function putTokenAccount(owner, amount) {
  const [at] = await findAssociatedTokenPda({ mint, owner, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  data.set(encoder.encode(mint), 0);
  data.set(encoder.encode(owner), 32);
  new DataView(data.buffer).setBigUint64(AMOUNT_AT, amount, true);
  data[108] = 1; // initialized
  putAccount(at, data);
  return at;
}

putMint();
const accounts = {
  payer: await putTokenAccount(payer.address, PAYER_FUNDS),
  merchant: await putTokenAccount(merchant.address, 0n),
};
svm.airdrop(facilitatorKey.address, lamports(10_000_000_000n));
svm.airdrop(payer.address, lamports(1_000_000_000n));

const decode = (wire) => getTransactionDecoder().decode(getBase64Encoder().encode(wire));
const withContext = (value) => ({ context: { apiVersion: '3.0.0', slot }, value });
const errorOf = (result) =>
  result instanceof FailedTransactionMetadata ? { Custom: String(result.err()) } : null;

function balance(at) {
  const data = Uint8Array.from(svm.getAccount(at).data);
  return new DataView(data.buffer).getBigUint64(AMOUNT_AT, true).toString();
}

function accountInfo(at) {
  const account = svm.getAccount(address(at));
  if (!account.exists) return null;
  return {
    data: [Buffer.from(account.data).toString('base64'), 'base64'],
    executable: account.executable,
    lamports: Number(account.lamports),
    owner: account.programAddress,
    rentEpoch: 0,
    space: account.data.length,
  };
}

/** The memo column of a transaction, as a node writes it. */
function memoOf(message) {
  const memos = message.instructions
    .filter(({ programAddressIndex }) => message.staticAccounts[programAddressIndex].startsWith('Memo'))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data)}`);
  return memos.join('; ') || null;
}

/** The library wants every signature to be there even where none is checked: fills the empty slots. */
function filled(transaction) {
  const signatures = Object.entries(transaction.signatures);
  const all = signatures.map(([key, signature]) => [key, signature ?? new Uint8Array(64).fill(1)]);
  return { ...transaction, signatures: Object.fromEntries(all) };
}

function simulate(wire, options) {
  const transaction = decode(wire);
  const check = options?.sigVerify ?? false;
  svm.withSigverify(check);
  try {
    const result = svm.simulateTransaction(check ? transaction : filled(transaction));
    const meta = result.meta();
    const unitsConsumed = Number(meta.computeUnitsConsumed());
    return { err: errorOf(result), logs: meta.logs(), unitsConsumed, accounts: null, returnData: null };
  } finally {
    svm.withSigverify(true);
  }
}

function send(wire) {
  const transaction = decode(wire);
  const signature = getSignatureFromTransaction(transaction);
  if (statuses.has(signature)) return signature;
  const err = errorOf(svm.sendTransaction(transaction));
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  slot += 1;
  const blockTime = Math.floor(Date.now() / 1000);
  const entry = { signature, slot, blockTime, memo: memoOf(message), err, confirmationStatus: 'finalized' };
  history.unshift({ entry, wire, accounts: message.staticAccounts });
  const status = err ? { Err: err } : { Ok: null };
  statuses.set(signature, { slot, confirmations: null, err, confirmationStatus: 'finalized', status });
  if (err) console.log('failed', signature, err);
  return signature;
}

function signaturesFor(at, options) {
  let found = history.filter(({ accounts: named }) => named.includes(at)).map(({ entry }) => entry);
  const place = (signature) => found.findIndex((entry) => entry.signature === signature);
  if (options?.before) found = found.slice(place(options.before) + 1);
  if (options?.until && place(options.until) >= 0) found = found.slice(0, place(options.until));
  return found.slice(0, options?.limit ?? 1000);
}

function transactionOf(signature) {
  const found = history.find(({ entry }) => entry.signature === signature);
  if (!found) return null;
  const { entry, wire } = found;
  const meta = {
    err: entry.err,
    fee: 10_000,
    innerInstructions: [],
    logMessages: [],
    preBalances: [],
    postBalances: [],
  };
  return { slot: entry.slot, blockTime: entry.blockTime, version: 0, meta, transaction: [wire, 'base64'] };
}

const METHODS = {
  getHealth: () => 'ok',
  getSlot: () => slot,
  getBlockHeight: () => slot,
  getBlockTime: () => Math.floor(Date.now() / 1000),
  getBalance: ([at]) => withContext(Number(svm.getBalance(address(at)) ?? 0n)),
  getLatestBlockhash: () =>
    withContext({ blockhash: svm.latestBlockhash(), lastValidBlockHeight: slot + 150 }),
  getAccountInfo: ([at]) => withContext(accountInfo(at)),
  getMultipleAccounts: ([all]) => withContext(all.map(accountInfo)),
  simulateTransaction: ([wire, options]) => withContext(simulate(wire, options)),
  sendTransaction: ([wire]) => send(wire),
  getSignatureStatuses: ([all]) => withContext(all.map((signature) => statuses.get(signature) ?? null)),
  getSignaturesForAddress: ([at, options]) => signaturesFor(at, options),
  getTransaction: ([signature]) => transactionOf(signature),
  rigBalances: () => ({ payer: balance(accounts.payer), merchant: balance(accounts.merchant) }),
};

function answer({ id, method, params }) {
  const run = METHODS[method];
  if (!run) {
    console.log('unsupported', method);
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `unsupported ${method}` } };
  }
  try {
    return { jsonrpc: '2.0', id, result: run(params ?? []) };
  } catch (error) {
    console.log(method, error);
    return { jsonrpc: '2.0', id, error: { code: -32000, message: String(error.message ?? error) } };
  }
}

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const calls = JSON.parse(body);
  const answers = Array.isArray(calls) ? calls.map(answer) : answer(calls);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answers));
}).listen(new URL(SOLANA_RPC).port, '127.0.0.1');
