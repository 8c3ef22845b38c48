// The books of a server with channels: what the ledger says in its three reports, and what the chain says.

import assert from 'node:assert/strict';
import { onChain } from './channels.mjs';

const ATOMIC_PER_USD = 1_000_000;

/** The ledger's channels, by id. */
export async function channelRows(server) {
  const { rows } = await server.report('channels');
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]));
}

const sumOf = (rows, value) => rows.reduce((sum, row) => sum + BigInt(value(row)), 0n);

/** What the ledger says was taken over channels: in the summary, and in the export as claimed and as charged. */
export async function channelTakings(server) {
  const ofChannels = ({ rail }) => rail === 'channels';
  const revenue = (await server.report('summary')).rows.filter(ofChannels);
  const exported = (await server.rows()).filter(ofChannels);
  const exportedAs = (state) =>
    sumOf(
      exported.filter((row) => row.state === state),
      (row) => row.amount_atomic,
    );
  const atomic = (row) => Math.round(Number(row.amount_usd) * ATOMIC_PER_USD);
  for (const { state } of exported) assert.ok(['claimed', 'charged'].includes(state), `exported as ${state}`);
  assert.equal(new Set(exported.map(({ key }) => key)).size, exported.length, 'a key stands twice');
  return {
    payments: Number(sumOf(revenue, (row) => row.payments)),
    revenue: sumOf(revenue, atomic),
    claimed: exportedAs('claimed'),
    charged: exportedAs('charged'),
  };
}

/**
 * The ledger has these channels as their customers know them and as the chain has them; with `all`, and no others,
 * and its reports add up.
 */
export async function assertBooks(server, customers, { all = false } = {}) {
  const rows = await channelRows(server);
  for (const customer of customers) {
    const row = rows.get(customer.channel.id);
    assert.ok(row, `the ledger has no channel ${customer.channel.id}`);
    const { balance, claimed } = await onChain(customer.channel);
    assert.equal(row.payer.toLowerCase(), customer.payer.address.toLowerCase());
    assert.deepEqual(
      {
        balance: BigInt(row.balance),
        claimed: BigInt(row.claimed),
        charged: BigInt(row.charged),
        atRisk: BigInt(row.at_risk),
      },
      { balance, claimed, charged: BigInt(customer.charged), atRisk: BigInt(customer.charged) - claimed },
      `the channel ${customer.channel.id}`,
    );
  }
  if (!all) return undefined;
  const withSales = [...rows.values()].filter(({ charged }) => BigInt(charged));
  assert.equal(withSales.length, customers.length, 'channels in the ledger');
  const charged = customers.reduce((sum, customer) => sum + BigInt(customer.charged), 0n);
  const takings = await channelTakings(server);
  assert.equal(takings.revenue, charged, 'in the summary');
  assert.equal(takings.claimed + takings.charged, charged, 'in the export');
  const chains = await Promise.all(customers.map(({ channel }) => onChain(channel)));
  assert.equal(
    takings.claimed,
    chains.reduce((sum, { claimed }) => sum + claimed, 0n),
    'exported as claimed',
  );
  return takings;
}

/** Whatever was sold on a server: every channel of its ledger is as on the chain, and its reports add up. */
export async function assertSound(server) {
  const rows = [...(await channelRows(server)).values()];
  for (const row of rows) {
    const chain = await onChain(row);
    assert.equal(BigInt(row.balance), chain.balance, `balance of ${row.id}`);
    assert.equal(BigInt(row.claimed), chain.claimed, `claimed of ${row.id}`);
    assert.ok(BigInt(row.charged) <= chain.balance, `${row.id} is charged more than there is`);
    assert.equal(BigInt(row.at_risk), BigInt(row.charged) - chain.claimed, `at risk on ${row.id}`);
  }
  const takings = await channelTakings(server);
  const charged = sumOf(rows, (row) => row.charged);
  assert.equal(takings.revenue, charged, 'in the summary');
  assert.equal(takings.claimed + takings.charged, charged, 'in the export');
  assert.equal(
    takings.claimed,
    sumOf(rows, (row) => row.claimed),
    'exported as claimed',
  );
  return `${rows.length} channels, ${takings.payments} answers`;
}
