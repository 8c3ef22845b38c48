// Agents in TypeScript's SDK: over HTTP and standard input and output, and paying by @x402/evm and by mppx.
//
//   client.mjs http URL       a server that asks for no payment
//   client.mjs stdio COMMAND  the same program, on its standard input and output
//   client.mjs pay URL        a server that takes test money

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client } from '@x402/core/client';
import { McpClient } from 'mppx/mcp/client';
import { assets } from 'mppx/evm';
import { evm } from 'mppx/evm/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const TOOLS_MIN = 17;
const ASKED = { q: 'sweet baby rays barbecue sauce', country: 'ca' };
const SANDBOX = 'eip155:84532';

const overHttp = (url) => new StreamableHTTPClientTransport(new URL('/mcp', url));

async function connect(transport) {
  const client = new Client({ name: 'pricebook-agents', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

// What every client can do that pays nothing.
async function asks(transport) {
  const client = await connect(transport);
  assert.equal(client.getServerVersion().name, 'pricebook');
  assert.ok(client.getInstructions().includes('country'));
  const { tools } = await client.listTools();
  assert.ok(tools.length >= TOOLS_MIN, `${tools.length} tools`);
  for (const tool of tools) assert.match(tool.description, /^Price: .* USD/);
  const found = await client.callTool({ name: 'best_price', arguments: ASKED });
  assert.ok(!found.isError, found.content[0].text);
  const { best_price: best, product_uid: uid } = JSON.parse(found.content[0].text);
  assert.ok(best.price > 0 && best.retailer);
  // What is suggested can be called as it stands.
  const [next] = JSON.parse(found.content[1].text).suggested_next_calls;
  assert.equal(next.arguments.product_uid, uid);
  const history = await client.callTool({ name: next.tool, arguments: next.arguments });
  assert.ok(!history.isError, history.content[0].text);
  const refused = await client.callTool({ name: 'best_price', arguments: { q: 'qqzzx' } });
  assert.ok(refused.isError && refused.content[0].text.startsWith('NO_RESULTS: '));
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { product: 'tea' } });
  assert.ok(prompt.messages[0].content.text.includes('tea'));
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.ok(contents[0].text.length > 0);
  await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /Unknown tool/);
  await client.close();
}

async function paysByX402(url) {
  const account = privateKeyToAccount(generatePrivateKey());
  const payer = new x402Client().register(SANDBOX, new ExactEvmScheme(account));
  const client = await connect(overHttp(url));
  const asked = { name: 'best_price', arguments: ASKED };
  const unpaid = await client.callTool(asked);
  assert.equal(unpaid.isError, true);
  assert.deepEqual(JSON.parse(unpaid.content[0].text), unpaid.structuredContent);
  const payment = await payer.createPaymentPayload(unpaid.structuredContent);
  const paid = { ...asked, _meta: { 'x402/payment': payment } };
  const result = await client.callTool(paid);
  assert.ok(!result.isError, result.content[0].text);
  const receipt = result._meta['x402/payment-response'];
  assert.equal(receipt.success, true);
  assert.equal(receipt.network, SANDBOX);
  assert.ok(JSON.parse(result.content[0].text).best_price.price > 0);
  assert.deepEqual((await client.callTool(paid)).content, result.content);
  await client.close();
}

async function paysByMpp(url) {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = await connect(overHttp(url));
  McpClient.wrap(client, { methods: [evm({ account, currencies: [assets.baseSepolia.USDC] })] });
  const result = await client.callTool({ name: 'price_bands', arguments: { node: 'wine', country: 'ca' } });
  assert.ok(!result.isError, result.content[0].text);
  assert.equal(result.receipt.status, 'success');
  assert.ok(result.receipt.challengeId);
  assert.ok(JSON.parse(result.content[0].text).tiers.length > 0);
  await client.close();
}

const check = async (name, run) => {
  await run();
  console.log(`passed: ${name}`);
};

const [mode, place, ...args] = process.argv.slice(2);
if (mode === 'http') {
  await check('@modelcontextprotocol/sdk over HTTP', () => asks(overHttp(place)));
} else if (mode === 'stdio') {
  const transport = new StdioClientTransport({ command: place, args, stderr: 'ignore' });
  await check('@modelcontextprotocol/sdk on standard input and output', () => asks(transport));
} else {
  await check('@x402/evm pays', () => paysByX402(place));
  await check('mppx pays', () => paysByMpp(place));
}
