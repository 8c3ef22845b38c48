// A node of Base that can fall behind, as nodes behind a balancer do: what it says is true of an earlier block.

import { createServer } from 'node:http';
import { BASE_RPC } from '../rig/addresses.mjs';
import { rpc } from '../rig/chain.mjs';

/** Which parameter of a call names its block. */
const BLOCK_OF = { eth_call: 1, eth_getCode: 1, eth_getBalance: 1, eth_getBlockByNumber: 0 };

export class LaggingNode {
  constructor(port) {
    this.url = `http://127.0.0.1:${port}`;
    this.block = undefined;
    this.listener = createServer((request, response) => this.#answer(request, response)).listen(
      port,
      '127.0.0.1',
    );
  }

  /** From now on it knows nothing of what comes. */
  async fallBehind() {
    this.block = await rpc('eth_blockNumber');
  }

  /** It goes on from a block that it was at before. */
  fallBackTo(block) {
    this.block = block;
  }

  catchUp() {
    this.block = undefined;
  }

  async #answer(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    const asked = JSON.parse(body);
    const calls = [asked].flat();
    const block = this.block;
    if (block) for (const call of calls) earlier(call, block);
    const answer = await fetch(BASE_RPC, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    const told = await answer.json();
    if (block) [told].flat().forEach((each, index) => forget(calls[index], each, block));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told));
  }

  close() {
    this.listener.close();
    this.listener.closeAllConnections();
  }
}

/** Asks about the block instead of the newest. */
function earlier({ method, params }, block) {
  const at = BLOCK_OF[method];
  if (at !== undefined && [undefined, 'latest', 'pending', 'safe', 'finalized'].includes(params[at])) {
    params[at] = block;
  }
}

/** Takes out of an answer what came later. */
function forget({ method }, told, block) {
  const isLater = (each) => BigInt(each.blockNumber) > BigInt(block);
  if (method === 'eth_blockNumber') told.result = block;
  if (method === 'eth_getTransactionReceipt' && told.result && isLater(told.result)) told.result = null;
  if (method === 'eth_getLogs' && told.result) told.result = told.result.filter((log) => !isLater(log));
}
