// Offers that have run out. They are taken at the beginning of the suite and presented at its end.

import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import {
  basePayer,
  mppEvm,
  mppHeader,
  mppTempo,
  tempoKey,
  x402Base,
  x402Header,
  x402Solana,
} from '../../lib/payers.mjs';
import { assertRefused, takesNothing } from '../../lib/shop.mjs';
import { sleep } from '../../rig/chain.mjs';

export async function run(shop) {
  const path = fresh();
  const unpaid = await shop.unpaid(path);
  const solana = await x402Solana(unpaid);
  const tempo = await mppTempo(unpaid.challenges.tempo, await tempoKey());
  const staleAt = Date.now() + (shop.server.offerTtlS + 2) * 1_000;

  return async () => {
    await sleep(Math.max(0, staleAt - Date.now()));
    const refuse = (header) =>
      takesNothing(async () => assertRefused(await shop.get(path, [header]), 'expired'));
    await check('an x402 offer that has run out, signed anew', async () =>
      refuse(x402Header(await x402Base(unpaid, await basePayer()))),
    );
    await check('an MPP challenge that has run out, signed anew', async () => {
      const validBefore = String(Math.floor(Date.now() / 1000) + 20);
      await refuse(mppHeader(await mppEvm(unpaid.challenges.evm, await basePayer(), { validBefore })));
    });
    await check('an x402 payment on Solana that was kept too long', () => refuse(x402Header(solana)));
    await check('an MPP payment on Tempo that was kept too long', () => refuse(mppHeader(tempo)));
  };
}
