// npm @x402/fetch with @x402/evm: x402 on Base, or on Base Sepolia with the argument `sepolia`.

import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { BASE_NETWORK, PAYER_KEY, SEPOLIA_NETWORK } from '../rig/addresses.mjs';
import { report, TARGET } from './common.mjs';

const network = process.argv[2] === 'sepolia' ? SEPOLIA_NETWORK : BASE_NETWORK;
const client = new ExactEvmScheme(privateKeyToAccount(PAYER_KEY));
const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network, client }] });
await report(await pay(TARGET));
