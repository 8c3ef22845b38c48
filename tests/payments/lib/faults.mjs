// Sets the faults of the rig's facilitators and reads their counters.

import { BASE_FACILITATOR, SOLANA_FACILITATOR } from '../rig/addresses.mjs';

const control = async (url, query) => (await fetch(`${url}/_ctl?${query}`)).json();

/** How often a facilitator was asked to settle so far. */
export const settleCalls = async (url = BASE_FACILITATOR) => (await control(url, '')).calls.settle;

/** How often a facilitator was asked anything so far. */
export async function anyCalls(url = BASE_FACILITATOR) {
  const { calls } = await control(url, '');
  return calls.verify + calls.settle;
}

export const setFaults = (faults, url = BASE_FACILITATOR) => control(url, new URLSearchParams(faults));
export const clearFaults = (url = BASE_FACILITATOR) => control(url, 'reset');

/** Runs something while a facilitator has faults; they are gone afterwards. */
export async function withFaults(faults, run, url = BASE_FACILITATOR) {
  await setFaults(faults, url);
  try {
    return await run();
  } finally {
    await clearFaults(url);
  }
}

export { BASE_FACILITATOR, SOLANA_FACILITATOR };
