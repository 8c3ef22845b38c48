// The processes of a run: started with a log of their own, waited for until they answer, and ended always.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WAIT_MS = 60_000;
const READY_POLL_MS = 50;
const LOG_TAIL_LINES = 25;

export const WORK = process.env.PAYMENTS_WORK;
const logs = join(WORK, 'logs');
mkdirSync(logs, { recursive: true });

const running = new Set();

export function endAll() {
  for (const child of running) child.kill('SIGKILL');
}
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

/** Free ports on loopback, all different. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** The end of a process's log, for messages. */
export function tail(name) {
  const lines = readFileSync(join(logs, `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.slice(-LOG_TAIL_LINES).join('\n');
}

/** Starts a process that stays; its output goes to `logs/<name>.log`. */
export function start(name, command, args, { env = {}, cwd = WORK } = {}) {
  const log = openSync(join(logs, `${name}.log`), 'a');
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  child.label = name;
  running.add(child);
  child.ended = once(child, 'exit').then(() => running.delete(child));
  child.once('error', (error) => {
    throw new Error(`${name} cannot be started: ${error.message}`);
  });
  return child;
}

/** Waits until `probe` no longer throws. */
export async function ready(child, probe) {
  let last;
  for (const end = Date.now() + READY_WAIT_MS; Date.now() < end; await sleep(READY_POLL_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${child.label} ended at its start:\n${tail(child.label)}`);
    }
    try {
      await probe();
      return child;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${child.label} does not answer: ${last?.message}\n${tail(child.label)}`);
}

/** Ends a process and waits until it is gone. */
export async function end(child, signal = 'SIGTERM') {
  child.kill(signal);
  await child.ended;
}

/** Runs a command to its end; what it prints, and how it ended. */
export async function run(command, args, { env = {}, cwd = WORK, timeoutMs = 90_000 } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let output = '';
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  running.delete(child);
  return { code, stdout, output };
}
