// One request on a connection of its own, with headers exactly as given, repeated ones included.

import { request as open } from 'node:http';

const TIMEOUT_MS = 60_000;

/**
 * Sends a request. `headers` are pairs; `cutAfterMs` closes the connection without waiting for the answer,
 * and the result is then `null`.
 */
export function send(url, { method = 'GET', headers = [], body, cutAfterMs, timeoutMs = TIMEOUT_MS } = {}) {
  const { hostname, port, pathname, search, host } = new URL(url);
  const flat = [['host', host], ['connection', 'close'], ...headers].flat();
  return new Promise((resolve, reject) => {
    const request = open({ hostname, port, path: pathname + search, method, headers: flat, agent: false });
    let cut = false;
    const timer = setTimeout(() => {
      cut = cutAfterMs !== undefined;
      request.destroy(new Error(`no answer after ${timeoutMs} ms: ${url}`));
    }, cutAfterMs ?? timeoutMs);
    request.on('error', (error) => {
      clearTimeout(timer);
      if (cut) resolve(null);
      else reject(error);
    });
    request.on('response', async (response) => {
      try {
        const chunks = await response.toArray();
        resolve(new Answer(response, Buffer.concat(chunks)));
      } catch (error) {
        if (cut) resolve(null);
        else reject(error);
      } finally {
        clearTimeout(timer);
      }
    });
    request.end(body);
  });
}

const fromBase64 = (text) => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

/** A response, read to its end. */
export class Answer {
  constructor({ statusCode, rawHeaders }, body) {
    this.status = statusCode;
    this.rawHeaders = rawHeaders;
    this.body = body;
  }

  /** Every value of a header, in the order of the response. */
  all(name) {
    const values = [];
    for (let at = 0; at < this.rawHeaders.length; at += 2) {
      if (this.rawHeaders[at].toLowerCase() === name) values.push(this.rawHeaders[at + 1]);
    }
    return values;
  }

  header(name) {
    return this.all(name)[0];
  }

  /** Bytes of the header lines, with their line ends. */
  get headerBytes() {
    return this.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  }

  get json() {
    return JSON.parse(this.body.toString('utf8'));
  }

  /** `error.details.reason` of a problem document. */
  get reason() {
    return this.json.error?.details?.reason;
  }

  /** `PAYMENT-REQUIRED`, decoded. */
  get required() {
    const value = this.header('payment-required');
    return value && fromBase64(value);
  }

  /** `PAYMENT-RESPONSE`, decoded. */
  get settlement() {
    const value = this.header('payment-response');
    return value && fromBase64(value);
  }

  /** `Payment-Receipt`, decoded. */
  get receipt() {
    const value = this.header('payment-receipt');
    return value && fromBase64(value);
  }

  /** The transaction that either receipt names. */
  get transaction() {
    return this.settlement?.transaction ?? this.receipt?.reference;
  }

  /** The `Payment` challenges, by method. */
  get challenges() {
    const challenges = {};
    for (const line of this.all('www-authenticate')) {
      if (!line.startsWith('Payment ')) continue;
      const fields = [...line.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/gi)].map(([, name, value]) => [
        name,
        value,
      ]);
      const challenge = Object.fromEntries(fields);
      challenges[challenge.method] = challenge;
    }
    return challenges;
  }

  /** What to say of it in a message. */
  toString() {
    return `${this.status} ${this.body.toString('utf8').slice(0, 600)}`;
  }
}
