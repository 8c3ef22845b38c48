// Prepares the fresh chains: the mock token at the real address of USDC on Base, and USDC.e on Tempo, whose
// node knows its own dollar and three test dollars only. One of those is copied to the real address and given
// fee liquidity.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { encodeFunctionData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { Abis } from 'viem/tempo';
import {
  CHANNELS,
  DEPOSIT_COLLECTOR,
  DEV0,
  MULTICALL,
  PATH_USD,
  PAYER_KEY,
  TEMPO_RPC,
  TWO_CALLS,
  USDC,
  USDC_E,
} from './addresses.mjs';
import { fundBase, rpc, transact } from './chain.mjs';

const ALPHA_USD = '0x20c0000000000000000000000000000000000001';
const FEE_AMM = '0xfeec000000000000000000000000000000000000';
const SLOT_NAME = 2;
const SLOT_SYMBOL = 3;
const FEE_LIQUIDITY = 10_000_000_000n;
const PAYER_FUNDS = 1_000_000_000;

// Which contract of which file stands where.
const CONTRACTS = [
  ['contracts.sol', 'MockUSDC', USDC],
  ['contracts.sol', 'TwoCalls', TWO_CALLS],
  ['channels.sol', 'Channels', CHANNELS],
  ['channels.sol', 'DepositCollector', DEPOSIT_COLLECTOR],
  ['channels.sol', 'Multicall', MULTICALL],
];

/** The code of every contract, by its address. */
function compile() {
  const solc = createRequire(import.meta.url)('solc');
  const source = (file) => ({ content: readFileSync(new URL(file, import.meta.url), 'utf8') });
  const files = [...new Set(CONTRACTS.map(([file]) => file))];
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, source(file)])),
    settings: {
      viaIR: true,
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const code = (file, name) => `0x${output.contracts[file][name].evm.deployedBytecode.object}`;
  return CONTRACTS.map(([file, name, address]) => [address, code(file, name)]);
}

async function setUpBase() {
  for (const [address, code] of compile()) await rpc('anvil_setCode', [address, code]);
  await fundBase(privateKeyToAccount(PAYER_KEY).address, PAYER_FUNDS);
  // The facilitator's manager of numbers gives the number 0 to two transactions at once: it begins at 1.
  await rpc('anvil_setNonce', [DEV0, '0x1']);
}

const slot = (index) => `0x${index.toString(16).padStart(64, '0')}`;

/** A short string as Solidity stores it: its bytes, and twice its length in the last one. */
function text(words) {
  const length = (2 * words.length).toString(16).padStart(2, '0');
  return `0x${Buffer.from(words).toString('hex').padEnd(62, '0')}${length}`;
}

async function setUpTempo() {
  const set = (key, value) => rpc('anvil_setStorageAt', [USDC_E, key, value], TEMPO_RPC);
  const dump = await rpc('anvil_dumpState', [], TEMPO_RPC);
  const state = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')));
  await rpc('anvil_setCode', [USDC_E, '0xef'], TEMPO_RPC);
  for (const [key, value] of Object.entries(state.accounts[ALPHA_USD].storage)) {
    if (BigInt(value)) await set(key, value);
  }
  await set(slot(SLOT_NAME), text('Bridged USDC'));
  await set(slot(SLOT_SYMBOL), text('USDC.e'));
  const args = [USDC_E, PATH_USD, FEE_LIQUIDITY, DEV0];
  await transact(
    DEV0,
    FEE_AMM,
    encodeFunctionData({ abi: Abis.feeAmm, functionName: 'mint', args }),
    TEMPO_RPC,
  );
}

await Promise.all([setUpBase(), setUpTempo()]);
