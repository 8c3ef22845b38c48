// Starts the chains and the facilitators, and prepares the chains.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { freePorts, ready, run, start } from '../lib/processes.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

function anvilPath() {
  const cpu = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`;
  return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
}

async function isUp(url, method) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!response.ok) throw new Error(`${url} says ${response.status}`);
}

async function isServed(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} says ${response.status}`);
}

/** The chains, for suites that stop one for a while. */
export const chains = {};

/** Starts everything. The environment is given the URLs: every other module reads them from there. */
export async function startRig() {
  const names = ['BASE_RPC', 'TEMPO_RPC', 'SOLANA_RPC', 'BASE_FACILITATOR', 'SOLANA_FACILITATOR'];
  const ports = await freePorts(names.length);
  names.forEach((name, index) => (process.env[name] = `http://127.0.0.1:${ports[index]}`));
  const { BASE_RPC, TEMPO_RPC, SOLANA_RPC, BASE_FACILITATOR, SOLANA_FACILITATOR } = process.env;
  const anvil = (name, url, ...args) =>
    start(name, anvilPath(), ['--host', '127.0.0.1', '--port', new URL(url).port, ...args]);
  const program = (name) => start(name, process.execPath, [`${here}${name}.mjs`]);

  const base = anvil('base', BASE_RPC, '--chain-id', '8453');
  const tempo = anvil('tempo', TEMPO_RPC, '--network', 'tempo', '--chain-id', '4217');
  const solana = program('solana_chain');
  Object.assign(chains, { base, tempo, solana });
  await Promise.all([
    ready(base, () => isUp(BASE_RPC, 'eth_chainId')),
    ready(tempo, () => isUp(TEMPO_RPC, 'eth_chainId')),
    ready(solana, () => isUp(SOLANA_RPC, 'getHealth')),
  ]);
  const setUp = await run(process.execPath, [`${here}set_up.mjs`]);
  if (setUp.code !== 0) throw new Error(`the chains cannot be prepared:\n${setUp.output}`);
  await Promise.all([
    ready(program('base_facilitator'), () => isServed(`${BASE_FACILITATOR}/supported`)),
    ready(program('solana_facilitator'), () => isServed(`${SOLANA_FACILITATOR}/supported`)),
  ]);
}
