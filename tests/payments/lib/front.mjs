// A reverse proxy in front of the server, as in the world, that keeps what went through it: third-party
// clients do not tell which credential they sent. It can lose answers on their way.

import { createServer, request as open } from 'node:http';
import { Answer } from './http.mjs';

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

/** Listens on a port and hands everything to `target`, which may be set later. */
export class Front {
  constructor(port) {
    this.url = `http://127.0.0.1:${port}`;
    this.target = undefined;
    // Whose requests it says they are, where the server trusts it.
    this.client = undefined;
    // Says of an exchange whether its answer is lost.
    this.loses = () => false;
    this.seen = [];
    // Exchanges that the server has not answered yet.
    this.underway = 0;
    this.listener = createServer((request, response) => this.#pass(request, response)).listen(
      port,
      '127.0.0.1',
    );
  }

  #pass(request, response) {
    const { hostname, port } = new URL(this.target);
    const exchange = { path: request.url, method: request.method, headers: pairs(request.rawHeaders) };
    const named = this.client ? ['x-forwarded-for', this.client] : [];
    const headers = [...request.rawHeaders, ...named];
    const passed = { hostname, port, path: request.url, method: request.method, headers };
    this.underway += 1;
    const onward = open(passed, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      this.underway -= 1;
      exchange.answer = new Answer(answer, body);
      this.seen.push(exchange);
      if (this.loses(exchange)) return request.socket.destroy();
      const kept = pairs(answer.rawHeaders).filter(([name]) => !HOP_BY_HOP.includes(name.toLowerCase()));
      const length = request.method === 'HEAD' ? [] : [['content-length', String(body.length)]];
      response.writeHead(answer.statusCode, [...kept, ...length].flat());
      response.end(body);
    });
    onward.on('error', () => {
      this.underway -= 1;
      request.socket.destroy();
    });
    request.pipe(onward);
  }

  /** What went through since the last call. */
  take() {
    return this.seen.splice(0);
  }

  close() {
    this.listener.close();
    this.listener.closeAllConnections();
  }
}

function pairs(raw) {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index], raw[2 * index + 1]]);
}
