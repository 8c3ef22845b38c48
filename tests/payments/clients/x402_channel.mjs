// npm @x402/fetch with @x402/evm: x402 on Base over a payment channel. ORDER says what is to be done:
//
//   {targets, salt, parallel?, state?, both?, refund?: {target, amount?}}
//
// The targets are paid one after the other, or all at once, and each prints a JSON line; then comes the refund.
// With `state` the client keeps what it knows of its channels in that folder; with `both` it can pay exactly, too.

import { ExactEvmScheme, toClientEvmSigner } from '@x402/evm';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client';
import { FileClientChannelStorage } from '@x402/evm/batch-settlement/client/file-storage';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { createPublicClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { BASE_NETWORK, BASE_RPC, SEPOLIA_NETWORK } from '../rig/addresses.mjs';
import { report } from './common.mjs';

const order = JSON.parse(process.env.ORDER);
const network = order.sepolia ? SEPOLIA_NETWORK : BASE_NETWORK;
const account = privateKeyToAccount(process.env.KEY);
// On Base Sepolia there is no chain to look at.
const chain = createPublicClient({ chain: base, transport: http(BASE_RPC) });
const signer = order.sepolia ? account : toClientEvmSigner(account, chain);
const storage = order.state && { storage: new FileClientChannelStorage({ directory: order.state }) };
const scheme = new BatchSettlementEvmScheme(signer, { salt: order.salt, ...storage });
const client = new x402Client();
if (order.both) client.register(network, new ExactEvmScheme(account));
client.register(network, scheme);
const pay = wrapFetchWithPayment(fetch, client);

async function payFor(target) {
  try {
    await report(await pay(target));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.cause ?? error) }));
  }
}

if (order.parallel) await Promise.all(order.targets.map(payFor));
else for (const target of order.targets) await payFor(target);
if (order.refund) {
  try {
    const settlement = await scheme.refund(order.refund.target, { amount: order.refund.amount });
    console.log(JSON.stringify({ refund: settlement }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
}
