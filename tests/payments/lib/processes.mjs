// The processes of a run: started with a log of their own, waited for until they answer, and ended always.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WAIT_MS = 60_000;
const READY_POLL_MS = 50;
const LOG_TAIL_LINES = 25;

// Ports that systems give to nobody who asks for any (Linux gives those from 32768, macOS those from 49152): what else
// runs here takes none of them between the choice and the server's start.
const PORT_FIRST = 20_000;
const PORT_LAST = 32_767;
const PORT_TRIES_MAX = 1_000;

export const WORK = process.env.PAYMENTS_WORK;
const logs = join(WORK, 'logs');
mkdirSync(logs, { recursive: true });

const running = new Set();

export function endAll() {
  for (const child of running) child.kill('SIGKILL');
}
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

/**
 * Free ports on loopback, all different. They are this run's until it ends: other runs beside it find them claimed, by
 * a UDP socket of the same number, also while nothing listens there yet or a server is started again.
 */
export async function freePorts(count) {
  const ports = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries === PORT_TRIES_MAX) throw new Error(`no free port from ${PORT_FIRST} to ${PORT_LAST}`);
    const port = randomInt(PORT_FIRST, PORT_LAST + 1);
    if ((await claimed(port)) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

async function claimed(port) {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
  } catch {
    return false;
  }
  socket.unref();
  return true;
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((done) => server.close(done));
  return true;
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

/** Whatever answers on its port, a process that has ended is not it. */
export function assertRuns(child) {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (hasEnded) throw new Error(`${child.label} ended at its start:\n${tail(child.label)}`);
}

/** Waits until `probe` no longer throws. */
export async function ready(child, probe) {
  let last;
  for (const end = Date.now() + READY_WAIT_MS; Date.now() < end; await sleep(READY_POLL_MS)) {
    assertRuns(child);
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
