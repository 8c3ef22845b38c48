// Requests one after the other on one connection that stays open.

import { Agent, request as open } from 'node:http';
import { Answer } from './http.mjs';

const TIMEOUT_MS = 30_000;

/** A connection to a server; it is made with the first request, and a request on a broken one throws. */
export async function connect(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port, host } = new URL(url);
  const get = (path, headers) =>
    new Promise((resolve, reject) => {
      const flat = [['host', host], ...headers].flat();
      const request = open({ hostname, port, path, headers: flat, agent, timeout: TIMEOUT_MS });
      request.on('timeout', () => request.destroy(new Error(`no answer after ${TIMEOUT_MS} ms: ${path}`)));
      request.on('error', reject);
      request.on('response', (response) => {
        response.toArray().then((chunks) => resolve(new Answer(response, Buffer.concat(chunks))), reject);
      });
      request.end();
    });
  return { get, close: () => agent.destroy() };
}
