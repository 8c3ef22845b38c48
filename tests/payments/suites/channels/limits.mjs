// What bounds a server with channels: who asks about channels that are not there, who pays too fast, how much is at
// risk, how many channels there are.

import assert from 'node:assert/strict';
import { channelRows } from '../../lib/books.mjs';
import { Channel, channelOffer } from '../../lib/channels.mjs';
import { assertTooMany, assertUnknown, Customer, DEPOSIT, newAddress, PRICE } from '../../lib/customers.mjs';
import { withFaults } from '../../lib/faults.mjs';
import { check } from '../../lib/harness.mjs';
import { fresh } from '../../lib/paths.mjs';
import { basePayer, x402Header } from '../../lib/payers.mjs';
import { assertBusy, Shop } from '../../lib/shop.mjs';
import { withChannels } from './servers.mjs';

const UNKNOWN = 30;
const UNKNOWN_MAX = 20;
const PER_SECOND = 5;
const RATE = 20;
const AT_RISK_MAX = 1_000_000;
const WAITERS = 12;

export async function run({ server }) {
  await check(`${UNKNOWN} channels by salt without money: 429, and no rows`, () => salts(server));
  await check(`more than ${PER_SECOND} vouchers a second`, tooFast);
  await check('who pays is not counted by the rate of requests', paidRate);
  await check('a full queue of one channel: 503, and come again', () => fullQueue(server));
  await check('too much at risk on one channel: 503 until it is claimed', atRisk);
  await check('as many channels as there may be', fullHouse);
}

async function salts(server) {
  const shop = new Shop(server, newAddress());
  const payer = await basePayer(1);
  const offer = channelOffer(await shop.unpaid(fresh()));
  const statuses = [];
  const ids = [];
  for (let count = 0; count < UNKNOWN; count += 1) {
    const channel = new Channel(offer, payer);
    ids.push(channel.id);
    const answer = await shop.get(fresh(), [x402Header(await channel.voucher(PRICE))]);
    statuses.push(answer.status);
    if (answer.status === 402) assertUnknown(answer);
    else assertTooMany(answer);
  }
  const told = statuses.filter((status) => status === 402).length;
  assert.equal(told, UNKNOWN_MAX, `${told} unknown channels were looked up`);
  const rows = await channelRows(server);
  assert.deepEqual(
    ids.filter((id) => rows.has(id)),
    [],
    'rows of channels without money',
  );
  await (await Customer.open(server)).pay();
}

function tooFast() {
  return withChannels({ name: 'limits_fast', channels: { vouchers_per_s: PER_SECOND } }, async (server) => {
    const customer = await Customer.open(server);
    let sold = 0;
    let refused = 0;
    for (const last = Date.now() + 2_000; Date.now() < last;) {
      const header = await customer.voucher(customer.charged + PRICE);
      const answer = await customer.shop.get(fresh(), [header]);
      if (answer.status === 200) {
        customer.charged += PRICE;
        sold += 1;
      } else {
        assertTooMany(answer);
        refused += 1;
      }
    }
    assert.ok(refused, 'nothing was refused');
    assert.ok(sold >= PER_SECOND && sold <= 4 * PER_SECOND, `${sold} were sold`);
    return `${sold} sold, ${refused} refused in 2 s`;
  });
}

function paidRate() {
  return withChannels({ name: 'limits_rate', rate: RATE }, async (server) => {
    const customer = await Customer.open(server);
    for (let turn = 0; turn < 3 * RATE; turn += 1) await customer.pay();
    let unpaid = 0;
    while ((await customer.shop.get(fresh())).status === 402) {
      unpaid += 1;
      assert.ok(unpaid <= RATE, 'unpaid requests are not counted');
    }
    return `${3 * RATE} paid at ${RATE} a minute`;
  });
}

async function fullQueue(server) {
  const customer = await Customer.open(server);
  const headers = [];
  for (let count = 1; count <= WAITERS; count += 1) {
    headers.push(await customer.voucher(customer.charged + count * PRICE));
  }
  const answers = await Promise.all(headers.map((header) => customer.shop.get(fresh(), [header])));
  const counts = {};
  for (const answer of answers) {
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    if (answer.status === 503) assertBusy(answer);
    else assert.ok([200, 402].includes(answer.status), String(answer));
  }
  assert.ok(counts[200] >= 1, JSON.stringify(counts));
  customer.charged += counts[200] * PRICE;
  await customer.assertUncharged();
  return JSON.stringify(counts);
}

function atRisk() {
  const channels = {
    claim_at: AT_RISK_MAX / 2,
    at_risk_channel_max: AT_RISK_MAX,
    deposit_min: 2 * AT_RISK_MAX,
  };
  return withChannels({ name: 'limits_risk', channels }, async (server) => {
    const customer = await Customer.open(server, { deposit: 2 * AT_RISK_MAX });
    let answer;
    let path;
    let header;
    await withFaults({ down: 1 }, async () => {
      for (let count = 0; count <= AT_RISK_MAX / PRICE; count += 1) {
        path = fresh();
        header = await customer.voucher(customer.charged + PRICE);
        answer = await customer.shop.get(path, [header]);
        if (answer.status !== 200) break;
        customer.charged += PRICE;
      }
      assertBusy(answer);
      assert.ok(customer.charged <= AT_RISK_MAX, `${customer.charged} at risk`);
    });
    assert.equal((await customer.persist(path, header)).status, 200);
    return `503 at ${customer.charged}`;
  });
}

function fullHouse() {
  return withChannels({ name: 'limits_house', channels: { channels_max: 2 } }, async (server) => {
    const customers = [await Customer.open(server), await Customer.open(server)];
    const late = await Customer.make(server);
    const header = x402Header(await late.channel.deposit(DEPOSIT, PRICE));
    assertBusy(await late.shop.get(fresh(), [header]));
    assert.equal((await late.onChain()).balance, 0n);
    for (const customer of customers) await customer.pay();
  });
}
