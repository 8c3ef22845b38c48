// Keys on the local Solana, from constant seeds: worthless.

import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';

const fromSeed = (byte) => createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(byte));

export const payer = await fromSeed(1);
export const facilitatorKey = await fromSeed(2);
export const merchant = await fromSeed(3); // its address is SOLANA_PAY_TO
