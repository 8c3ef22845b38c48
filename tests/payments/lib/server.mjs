// The pricebook server under test: its configuration, its life, its ledger.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BASE_DOMAIN,
  BASE_FACILITATOR,
  BASE_NETWORK,
  BASE_RPC,
  CHANNEL_KEY,
  PAY_TO,
  SOLANA_FACILITATOR,
  SOLANA_NETWORK,
  SOLANA_PAY_TO,
  SOLANA_RPC,
  SOLANA_USDC,
  TEMPO_CHAIN_ID,
  TEMPO_RPC,
  USDC,
  USDC_E,
} from '../rig/addresses.mjs';
import { sleep } from '../rig/chain.mjs';
import { send } from './http.mjs';
import { assertRuns, end, freePorts, ready, run, start, WORK } from './processes.mjs';

const BINARY = process.env.PAYMENTS_BIN;
const SECRET = 'c47d1f9ab3025e86d90f7c1e4ba86325f1d07e9c3b58a2646e0dc9f713852ab4';
const SNAPSHOTS = join(WORK, 'snapshots');
const RAILS_WAIT_MS = 30_000;
export const PRICES = {
  shopper: 10_000,
  marketing: 10_000,
  reference: 10_000,
  analyst: 20_000,
  deep: 50_000,
};

const RAILS = {
  base: {
    network: BASE_NETWORK,
    asset: USDC,
    eip712_name: BASE_DOMAIN.name,
    eip712_version: BASE_DOMAIN.version,
    pay_to: PAY_TO,
    facilitator_url: BASE_FACILITATOR,
    rpc_url: BASE_RPC,
    protocols: ['x402', 'mpp'],
  },
  solana: {
    network: SOLANA_NETWORK,
    asset: SOLANA_USDC,
    pay_to: SOLANA_PAY_TO,
    facilitator_url: SOLANA_FACILITATOR,
    rpc_url: SOLANA_RPC,
    protocols: ['x402'],
  },
  tempo: { chain_id: TEMPO_CHAIN_ID, asset: USDC_E, pay_to: PAY_TO, rpc_url: TEMPO_RPC, protocols: ['mpp'] },
};

// Of payment channels, what differs from the defaults: the shortest delay, and no claim and no sweep that a check
// does not ask for.
const CHANNELS = { withdraw_delay_s: 900, claim_after_s: 86_400, sweep_after_s: 2_592_000 };
// Requests come from loopback; as a proxy would, checks say whose they are.
const PROXIED = 'trusted_proxies = ["127.0.0.1"]\nforwarded_header = "x-forwarded-for"\n';

const LIMITS = {
  offer_ttl_s: 60,
  verify_timeout_ms: 3_000,
  settle_timeout_ms: 8_000,
  chain_look_ms: 4_000,
  request_deadline_ms: 30_000,
  reply_ttl_s: 86_400,
  replies_bytes_max: 1_073_741_824,
};

function table(name, values) {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [`[${name}]`, ...lines, ''].join('\n');
}

/** The server; `start` and `kill` may alternate as often as one likes, the ledger stays. */
export class Server {
  /**
   * `name` is that of its directory. `publicUrl` is where clients believe it to be; by default where it is.
   * `rails` says which of the live ones it has, `limits` and `prices` what differs from the usual. With `channels`
   * it has payment channels, with what is given there, and takes so many requests a minute of a client (0: any
   * number); `ledger` is that of another server, `rpc` a node of its own.
   */
  static async make({
    name,
    mode = 'live',
    rails,
    limits = {},
    prices = {},
    publicUrl,
    channels,
    ledger,
    rate = 0,
    rpc,
  }) {
    const server = new Server();
    const [port, adminPort] = await freePorts(2);
    const directory = join(WORK, name);
    mkdirSync(directory);
    server.name = name;
    server.mode = mode;
    server.url = `http://127.0.0.1:${port}`;
    server.admin = `http://127.0.0.1:${adminPort}`;
    server.publicUrl = publicUrl ?? server.url;
    server.ledger = ledger ?? join(directory, 'ledger.sqlite');
    server.channelKeys = channels ? { PRICEBOOK_CHANNEL_KEY: CHANNEL_KEY } : {};
    server.config = join(directory, 'pricebook.toml');
    // A sandbox has one rail, and needs no word about it.
    server.rails = rails ?? (mode === 'sandbox' ? ['base'] : Object.keys(RAILS));
    const tables = mode === 'sandbox' ? [] : server.rails;
    const payment = { mode, public_base_url: server.publicUrl, ledger: server.ledger, ...LIMITS, ...limits };
    const parts = [
      `listen = "127.0.0.1:${port}"\nsnapshots = ${JSON.stringify(SNAPSHOTS)}\n${channels ? `${PROXIED}rate = ${rate}\nadmin = "127.0.0.1:${adminPort}"\n` : ''}`,
      table('payment', payment),
      table('payment.prices', { ...PRICES, ...prices }),
      ...tables.map((rail) =>
        table(`payment.rail.${rail}`, { ...RAILS[rail], ...(rpc && { rpc_url: rpc }) }),
      ),
      ...(channels ? [table('payment.rail.channels', { ...CHANNELS, ...channels })] : []),
    ];
    writeFileSync(server.config, parts.join('\n'));
    server.offerTtlS = payment.offer_ttl_s;
    server.directory = directory;
    return server;
  }

  /** Starts it and waits until it answers; before the first one of a run the demo's snapshot is built. */
  async start({ rails = this.rails } = {}) {
    if (!existsSync(join(SNAPSHOTS, 'CURRENT'))) await run(BINARY, ['build', '--demo', '--out', SNAPSHOTS]);
    const args = ['serve', '--config', this.config, '--payments', this.mode];
    const env = { ...this.secrets, PRICEBOOK_LOG: process.env.PAYMENTS_LOG ?? 'info' };
    this.process = start(this.name, BINARY, args, { env, cwd: this.directory });
    await ready(this.process, async () => {
      const answer = await send(`${this.url}/v1/public/coverage`);
      if (answer.status !== 200) throw new Error(String(answer));
    });
    if (rails.length) await this.untilOffered(rails, RAILS_WAIT_MS);
    return this;
  }

  /** Waits until exactly these rails are offered; the last unpaid answer. */
  async untilOffered(rails, waitMs, path = '/v1/shopper/best-price?q=beer&country=ca') {
    let answer;
    for (const last = Date.now() + waitMs; Date.now() < last; await sleep(100)) {
      assertRuns(this.process);
      answer = await send(this.url + path);
      if (JSON.stringify(offered(answer)) === JSON.stringify([...rails].sort())) return answer;
    }
    throw new Error(`not offered within ${waitMs} ms: ${rails}; the unpaid answer is ${answer}`);
  }

  get secrets() {
    return { PRICEBOOK_PAYMENT_SECRET: SECRET, ...this.channelKeys };
  }

  stop() {
    return end(this.process, 'SIGTERM');
  }

  kill() {
    return end(this.process, 'SIGKILL');
  }

  async restart(options) {
    await this.stop();
    return this.start(options);
  }

  /** What is measured, by name and labels: `pricebook_channels`, `…_total{outcome="…"}`. Servers with channels tell. */
  async metrics() {
    const text = (await send(`${this.admin}/metrics`)).body.toString('utf8');
    const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  }

  get log() {
    return readFileSync(join(WORK, 'logs', `${this.name}.log`), 'utf8');
  }

  /** What of these texts stands in the log. */
  logged(texts) {
    const { log } = this;
    return [...Object.values(this.secrets), ...texts].filter((text) => log.includes(text));
  }

  /** What `pricebook ledger` says in JSON. It works while the server runs. */
  async report(command) {
    const args = ['ledger', command, '--ledger', this.ledger, '--format', 'json'];
    const { code, stdout, output } = await run(BINARY, args);
    assert.equal(code, 0, `ledger ${command} failed:\n${output}`);
    return JSON.parse(stdout);
  }

  /** What the ledger exports. */
  async rows() {
    return existsSync(this.ledger) ? this.report('export') : [];
  }

  /** Runs the program with the secrets of this server: `['ledger', 'claim', '--config', …]`. */
  command(...args) {
    return run(BINARY, args, { env: this.secrets, cwd: this.directory });
  }

  /** The settled rows that name a transaction. */
  async settledIn(transaction) {
    const rows = await this.rows();
    return rows.filter((row) => row.state === 'settled' && row.transaction === transaction);
  }

  /** Atomic USDC that is settled, by rail. */
  async takings() {
    const sums = {};
    for (const row of await this.rows()) {
      if (row.state === 'settled') sums[row.rail] = (sums[row.rail] ?? 0n) + BigInt(row.amount_atomic);
    }
    return sums;
  }
}

/** The rails that an unpaid answer offers, sorted. */
export function offered(answer) {
  const rails = new Set();
  for (const { network } of answer.required?.accepts ?? []) {
    rails.add(network.startsWith('solana:') ? 'solana' : 'base');
  }
  for (const method of Object.keys(answer.challenges)) rails.add(method === 'tempo' ? 'tempo' : 'base');
  return [...rails].sort();
}
