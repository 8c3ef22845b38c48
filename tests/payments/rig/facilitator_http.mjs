// The HTTP front of both facilitators, with faults on demand.
//
// `GET /_ctl` shows faults and counters, `/_ctl?reset` clears the faults, and `/_ctl?name=value` sets one:
//
//   down=1                        every connection is cut
//   verifyDelay=ms, settleDelay=ms
//   verify=, settle=              one of KINDS
//   times=n                       for n calls only
//   unlisted=scheme               `/supported` does not list this scheme
//   only=type                     for payloads of this type: `deposit`, `claim`, `settle`, `refund`
//   transaction=hash              which transaction `feign` names
//
// Kinds that leave the work undone: `reset` cuts the connection, `refuse` says no, `feign` says yes. Kinds
// that do the work and then misreport it: `lost` cuts the connection, `500` and `garbage` are what they say,
// `pending` says `settlement_pending`, `deny` says that it failed.

import { createServer } from 'node:http';
import { sleep } from './chain.mjs';

const NO_FAULT = {
  down: 0,
  verifyDelay: 0,
  settleDelay: 0,
  verify: '',
  settle: '',
  times: Infinity,
  only: '',
  unlisted: '',
  transaction: '',
};
const KINDS = ['', 'reset', 'refuse', 'feign', 'lost', '500', 'garbage', 'pending', 'deny'];
const FEIGNED_TRANSACTION = `0x${'fe'.repeat(32)}`;

/** Serves a facilitator of @x402/core at a URL. */
export function serveFacilitator(facilitator, url) {
  const faults = { ...NO_FAULT };
  const calls = { verify: 0, settle: 0 };
  // What was settled and reported as pending: it is told at the next call, as a facilitator that looks again
  // would.
  const settled = new Map();

  async function work(step, payload, requirements, isPending) {
    const key = step + JSON.stringify(payload.payload);
    const result = settled.get(key) ?? (await facilitator[step](payload, requirements));
    if (isPending) settled.set(key, result);
    return result;
  }

  async function handle(request, response) {
    const send = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const { pathname, searchParams } = new URL(request.url, url);
    const body = await bodyOf(request);
    if (pathname === '/_ctl') return send(200, control(faults, calls, searchParams));
    if (faults.down) return request.socket.destroy();
    if (pathname === '/supported') {
      const { kinds, ...supported } = facilitator.getSupported();
      const listed = kinds.filter(({ scheme }) => scheme !== faults.unlisted);
      return send(200, { ...supported, kinds: listed });
    }
    const step = pathname.slice(1);
    if (!(step in calls)) return send(404, { error: 'not found' });
    calls[step] += 1;
    try {
      const { paymentPayload, paymentRequirements } = JSON.parse(body);
      const { type = '' } = paymentPayload.payload;
      const faulty = faults.times > 0 && (!faults.only || faults.only === type);
      const kind = faulty ? faults[step] : '';
      if (kind) faults.times -= 1;
      if (faulty) await sleep(faults[`${step}Delay`]);
      const context = {
        step,
        network: paymentRequirements.network,
        payer: paymentPayload.payload.authorization?.from ?? paymentPayload.payload.channelConfig?.payer,
      };
      if (kind === 'reset') return request.socket.destroy();
      if (kind === 'refuse') return send(200, refusal(context, `unexpected_${step}_error`));
      if (kind === 'feign') return send(200, consent(context, faults.transaction));
      const result = await work(step, paymentPayload, paymentRequirements, kind === 'pending');
      if (kind === 'lost') return request.socket.destroy();
      if (kind === '500') return send(500, result);
      if (kind === 'garbage') return send(200, '<html>bad gateway</html>');
      if (kind === 'pending') {
        return send(200, { ...refusal(context, 'settlement_pending'), transaction: result.transaction });
      }
      if (kind === 'deny') return send(200, refusal(context, 'invalid_exact_evm_transaction_failed'));
      return send(200, result);
    } catch (error) {
      console.log(step, error);
      return send(500, { error: String(error?.message ?? error) });
    }
  }

  createServer(handle).listen(new URL(url).port, '127.0.0.1');
}

async function bodyOf(request) {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function control(faults, calls, wanted) {
  if (wanted.has('reset')) Object.assign(faults, NO_FAULT);
  for (const [name, value] of wanted) {
    if (!(name in faults)) continue;
    const words = typeof NO_FAULT[name] === 'string';
    if (['verify', 'settle'].includes(name) && !KINDS.includes(value))
      throw new Error(`no such fault: ${name}=${value}`);
    faults[name] = words ? value : Number(value);
  }
  return { ...faults, calls };
}

function refusal({ step, network, payer }, reason) {
  if (step === 'verify') return { isValid: false, invalidReason: reason, payer };
  return { success: false, errorReason: reason, transaction: '', network, payer };
}

function consent({ step, network, payer }, transaction) {
  if (step === 'verify') return { isValid: true, payer };
  return { success: true, transaction: transaction || FEIGNED_TRANSACTION, network, payer };
}
