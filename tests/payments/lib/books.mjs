// The books of a server with channels: what the ledger says in its three reports, and what the chain says.

import assert from 'node:assert/strict';
import { onChain } from './channels.mjs';

const USD = /^(\d+)\.(\d{2,6})$/;
const AMOUNTS = ['balance', 'charged', 'claimed', 'at_risk'];

/** Atomic USDC of an amount as reports write it. */
function atomic(usd) {
  const parts = USD.exec(usd);
  assert.ok(parts, `not an amount: ${usd}`);
  return BigInt(parts[1] + parts[2].padEnd(6, '0'));
}

/** The ledger's channels, by id, with their amounts in atomic USDC. They add up to the total. */
export async function channelRows(server) {
  const { channels, total } = await server.report('channels');
  const rows = new Map();
  for (const row of channels) {
    const amounts = AMOUNTS.map((name) => [name, atomic(row[name])]);
    rows.set(row.id, { ...row, ...Object.fromEntries(amounts) });
  }
  for (const name of AMOUNTS) {
    assert.equal(
      atomic(total[name]),
      sumOf([...rows.values()], (row) => row[name]),
      `total of ${name}`,
    );
  }
  return rows;
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
  for (const { state } of exported) assert.ok(['claimed', 'charged'].includes(state), `exported as ${state}`);
  assert.equal(new Set(exported.map(({ key }) => key)).size, exported.length, 'a key stands twice');
  return {
    payments: Number(sumOf(revenue, (row) => row.payments)),
    revenue: sumOf(revenue, (row) => atomic(row.amount_usd)),
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
        balance: row.balance,
        claimed: row.claimed,
        charged: row.charged,
        atRisk: row.at_risk,
      },
      { balance, claimed, charged: BigInt(customer.charged), atRisk: BigInt(customer.charged) - claimed },
      `the channel ${customer.channel.id}`,
    );
  }
  if (!all) return undefined;
  const withSales = [...rows.values()].filter(({ charged }) => charged);
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
  const verified = await server.command('ledger', 'verify', '--ledger', server.ledger);
  assert.equal(verified.code, 0, verified.output);
  const rows = [...(await channelRows(server)).values()];
  for (const row of rows) {
    const chain = await onChain(row);
    assert.equal(row.balance, chain.balance, `balance of ${row.id}`);
    assert.equal(row.claimed, chain.claimed, `claimed of ${row.id}`);
    assert.ok(row.charged <= chain.balance, `${row.id} is charged more than there is`);
    assert.equal(row.at_risk, row.charged - chain.claimed, `at risk on ${row.id}`);
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
