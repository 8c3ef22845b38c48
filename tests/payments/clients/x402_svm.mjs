// npm @x402/svm: x402 on Solana.

import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { SOLANA_RPC } from '../rig/addresses.mjs';
import { payer } from '../rig/solana_keys.mjs';
import { report, TARGET } from './common.mjs';

const client = new x402Client().register('solana:*', new ExactSvmScheme(payer, { rpcUrl: SOLANA_RPC }));
await report(await wrapFetchWithPayment(fetch, client)(TARGET));
