// A real x402 facilitator (npm @x402/core and @x402/svm) on the local Solana.

import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { SOLANA_FACILITATOR, SOLANA_NETWORK, SOLANA_RPC } from './addresses.mjs';
import { serveFacilitator } from './facilitator_http.mjs';
import { facilitatorKey } from './solana_keys.mjs';

const signer = toFacilitatorSvmSigner(facilitatorKey, { defaultRpcUrl: SOLANA_RPC });
const facilitator = new x402Facilitator().register(SOLANA_NETWORK, new ExactSvmScheme(signer));
serveFacilitator(facilitator, SOLANA_FACILITATOR);
