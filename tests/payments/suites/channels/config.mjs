// Configurations with which no channel can be kept safely: the server says so and does not start.

import assert from 'node:assert/strict';
import { check } from '../../lib/harness.mjs';
import { Server } from '../../lib/server.mjs';
import { sleep } from '../../rig/chain.mjs';

const REFUSES_MS = 20_000;
const CASES = {
  'a delay that the contract refuses': [{ withdraw_delay_s: 899 }, /withdraw_delay_s/],
  'a delay longer than the contract allows': [{ withdraw_delay_s: 2_592_001 }, /withdraw_delay_s/],
  'a deposit below the dearest price': [{ deposit_min: 49_999 }, /deposit_min/],
  'a smallest deposit above the largest': [{ deposit_min: 2_000_000, deposit_max: 1_000_000 }, /deposit_m/],
  'a key of the table that is none': [{ claim_sometimes: 1 }, /claim_sometimes/],
};

export async function run() {
  for (const [index, [name, [channels, words]]] of Object.entries(CASES).entries()) {
    await check(name, () => refuses({ name: `config_${index}`, channels }, words));
  }
  await check('no key', () => refuses({ name: 'config_key' }, /PRICEBOOK_CHANNEL_KEY/, {}));
  for (const [index, key] of [
    '0x12',
    '0x' + '00'.repeat(32),
    '0x' + 'ff'.repeat(32),
    'secret words',
  ].entries()) {
    const keys = { PRICEBOOK_CHANNEL_KEY: key };
    await check(`a key that is none, ${index + 1}`, async () => {
      const said = await refuses({ name: `config_key_${index}` }, /PRICEBOOK_CHANNEL_KEY/, keys);
      assert.ok(!said.includes(key), 'the key stands in the message');
    });
  }
  await check('without Base there are none', () =>
    refuses({ name: 'config_rail', rails: ['solana'] }, /base/),
  );
}

async function refuses(options, words, keys) {
  const server = await Server.make({ rails: ['base'], channels: {}, ...options });
  if (keys) server.channelKeys = keys;
  const outcome = await Promise.race([
    server.start({ rails: [] }).then(
      () => 'started',
      (error) => error.message,
    ),
    sleep(REFUSES_MS).then(() => 'nothing'),
  ]);
  if (outcome === 'started') await server.stop();
  assert.match(outcome, /ended at its start/, outcome);
  assert.match(outcome, words);
  return outcome.split('\n').at(-1);
}
