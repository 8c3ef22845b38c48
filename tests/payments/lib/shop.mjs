// Going to the server: asking without a payment, presenting one, and what is expected of the answers.

import assert from 'node:assert/strict';
import { growth, received, sleep } from '../rig/chain.mjs';
import { send } from './http.mjs';

const REASONS = [
  'malformed',
  'not_ours',
  'expired',
  'terms',
  'amount',
  'signature',
  'payment_used',
  'refused',
  'settlement_failed',
];
const HEADER_BYTES_MAX = 4_096;

/** A server seen by a customer, whose address a proxy tells it. */
export class Shop {
  constructor(server, address) {
    this.server = server;
    server.sent ??= new Set();
    this.sent = server.sent;
    this.via = address ? [['x-forwarded-for', address]] : [];
  }

  get(path, headers = [], options = {}) {
    for (const [, value] of headers) this.sent.add(value);
    return send(this.server.url + path, { ...options, headers: [...this.via, ...headers] });
  }

  /** The offers for a request; fails unless they are complete. */
  async unpaid(path) {
    const answer = await this.get(path);
    assertChallenge(answer);
    return answer;
  }

  /** Presents a payment until it is settled or refused: 409 and 503 are answered by patience. */
  async persist(path, header, waitMs = 60_000) {
    let answer;
    for (const last = Date.now() + waitMs; Date.now() < last; await sleep(500)) {
      answer = await this.get(path, [header]);
      if (answer.status === 409)
        assert.ok(answer.header('retry-after'), `409 without Retry-After: ${answer}`);
      else if (answer.status === 503) assertBusy(answer);
      else return answer;
    }
    throw new Error(`not settled within ${waitMs} ms; the last answer is ${answer}`);
  }
}

/** An unpaid answer, or a refusal with all offers: complete, small, and not to be stored. */
export function assertChallenge(answer) {
  assert.equal(answer.status, 402, `not a 402: ${answer}`);
  assert.ok(answer.headerBytes < HEADER_BYTES_MAX, `${answer.headerBytes} bytes of headers`);
  assert.equal(answer.header('cache-control'), 'no-store');
  assert.match(answer.header('content-type'), /^application\/problem\+json/);
  const problem = answer.json;
  assert.equal(problem.status, 402);
  assert.equal(problem.error.code, 'PAYMENT_REQUIRED');
  assert.ok(problem.type && problem.title && problem.error.message, 'the problem document is not complete');
  const { required, challenges } = answer;
  assert.ok(required || Object.keys(challenges).length, 'neither protocol is offered');
  if (required) assertRequired(required);
  for (const challenge of Object.values(challenges)) {
    for (const field of ['id', 'realm', 'method', 'intent', 'request', 'expires', 'opaque']) {
      assert.ok(challenge[field], `the ${challenge.method} challenge has no ${field}`);
    }
    assert.equal(challenge.intent, 'charge');
  }
}

function assertRequired({ x402Version, resource, accepts }) {
  assert.equal(x402Version, 2);
  assert.ok(resource?.url, 'PAYMENT-REQUIRED has no resource.url');
  assert.ok(accepts.length, 'PAYMENT-REQUIRED has no accepts');
  for (const accept of accepts) {
    for (const field of ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra']) {
      assert.ok(accept[field], `an accept has no ${field}`);
    }
  }
}

/** A refusal: 402 with all offers again, and one of the reasons named. */
export function assertRefused(answer, ...reasons) {
  assertChallenge(answer);
  assert.ok(REASONS.includes(answer.reason), `reason ${answer.reason} is not in the closed list: ${answer}`);
  if (reasons.length)
    assert.ok(reasons.includes(answer.reason), `reason ${answer.reason}, expected ${reasons}`);
  assert.notEqual(answer.settlement?.success, true, 'a refusal with a receipt');
  assert.equal(answer.receipt, undefined, 'a refusal with a receipt');
}

/** Busy: the payment may still arrive, so nothing may make the client pay again. */
export function assertBusy(answer) {
  assert.equal(answer.status, 503, `not a 503: ${answer}`);
  assert.ok(answer.header('retry-after'), '503 without Retry-After');
  assert.equal(answer.header('payment-required'), undefined, '503 with a challenge');
  assert.equal(answer.header('www-authenticate'), undefined, '503 with a challenge');
}

/** An answer that was paid for. */
export function assertPaid(answer) {
  assert.equal(answer.status, 200, `not paid: ${answer}`);
  const { settlement, receipt } = answer;
  assert.ok(
    settlement?.success === true || receipt?.status === 'success',
    `no receipt: ${answer.rawHeaders}`,
  );
  assert.match(answer.header('cache-control') ?? '', /private/);
  return answer;
}

/** The same answer as before, byte for byte, with the same receipt. */
export function assertSame(answer, before) {
  assertPaid(answer);
  assert.ok(answer.body.equals(before.body), `another answer:\n${answer}\nbefore:\n${before}`);
  assert.equal(answer.transaction, before.transaction);
}

/** Runs something and checks what the server received meanwhile, by rail: `{base: 10000n}`. */
export async function takes(expected, run) {
  const before = await received();
  const result = await run();
  assert.deepEqual(await growth(before), expected, 'received on the chains');
  return result;
}

/** Runs something that must not move money. */
export const takesNothing = (run) => takes({}, run);
