// A real x402 facilitator (npm @x402/core and @x402/evm) on the local Base chain.

import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, http, nonceManager, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { BASE_FACILITATOR, BASE_NETWORK, BASE_RPC, FACILITATOR_KEY } from './addresses.mjs';
import { serveFacilitator } from './facilitator_http.mjs';

// Without the manager two settlements at once would take the same number for their transactions.
const account = privateKeyToAccount(FACILITATOR_KEY, { nonceManager });
const transport = http(BASE_RPC);
const client = createWalletClient({ account, chain: base, transport, pollingInterval: 100 }).extend(
  publicActions,
);

const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (call) => client.getCode(call),
  readContract: (call) => client.readContract({ ...call, args: call.args ?? [] }),
  verifyTypedData: (call) => client.verifyTypedData(call),
  writeContract: (call) => client.writeContract({ ...call, args: call.args ?? [] }),
  sendTransaction: (call) => client.sendTransaction(call),
  waitForTransactionReceipt: (call) => client.waitForTransactionReceipt(call),
});

const facilitator = new x402Facilitator();
registerExactEvmScheme(facilitator, { networks: BASE_NETWORK, signer });
// It would sign claims and refunds itself for servers that name its key: ours has a key of its own.
facilitator.register(BASE_NETWORK, new BatchSettlementEvmScheme(signer, account));
serveFacilitator(facilitator, BASE_FACILITATOR);
