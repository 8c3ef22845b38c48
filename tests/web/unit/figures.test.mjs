// What pictures make of rows: gaps, drops, changes, tiers, and how money and percent are written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drops, money, naiveChanges, signed, tierBars, withGaps } from '../../../src/web/assets/figures.js';

const days = (...numbers) => numbers.map((number) => `2026-10-${`${number}`.padStart(2, '0')}`);
const priced = (dates, price) => dates.map((date) => ({ date, price }));

test('a line breaks where days are missing, and nowhere else', () => {
  const points = withGaps(priced(days(1, 2, 3, 20, 21), 5), ({ price }) => price);
  const breaks = points.filter(({ row }) => row === null);
  assert.equal(points.length, 6);
  assert.equal(breaks.length, 1);
  assert.ok(Number.isNaN(breaks[0].value));
  assert.ok(breaks[0].date > new Date('2026-10-03') && breaks[0].date < new Date('2026-10-20'));
  assert.equal(withGaps(priced(days(1, 8, 15, 22), 5), ({ price }) => price).length, 4, 'weeks are no gaps among weeks');
});

test('what is not known is left out, and 0 is not', () => {
  const rows = [{ date: '2026-10-01', price: null }, { date: '2026-10-02', price: 0 }, { date: null, price: 3 }, { date: '2026-10-03' }];
  assert.deepEqual(withGaps(rows, ({ price }) => price).map(({ value }) => value), [0]);
  assert.deepEqual(withGaps([], ({ price }) => price), []);
});

test('drops are those that the answer names', () => {
  assert.deepEqual(drops({}), []);
  const [drop] = drops({ series_summary: { drops: [{ date: '2026-10-05', change_pct: -20 }] } });
  assert.equal(+drop.date, Date.UTC(2026, 9, 5));
  assert.equal(drop.change_pct, -20);
});

test('a naive change needs both averages', () => {
  const averages = [10, 11, null, 12, 0, 3];
  const rows = averages.map((avg_price, at) => ({ date: days(at + 1)[0], avg_price }));
  const changes = naiveChanges(rows).map(({ date, value }) => [date.getUTCDate(), Math.round(value * 100) / 100]);
  assert.deepEqual(changes, [[2, 10], [5, -100]]);
});

test('open tiers end at the outer percentiles', () => {
  const tiers = [
    { name: 'low', from: null, to: 4, products: 9 },
    { name: 'middle', from: 4, to: 10, products: 20 },
    { name: 'high', from: 10, to: null, products: 3 },
  ];
  const bars = tierBars({ price_range: { p05: 2, p95: 40 }, tiers });
  assert.deepEqual(bars.map(({ from, to }) => [from, to]), [[2, 4], [4, 10], [10, 40]]);
  assert.deepEqual(tierBars({ price_range: { p05: 4, p95: 10 }, tiers }).map(({ name }) => name), ['middle'], 'a bar of no width is none');
});

test('money and percent', () => {
  assert.equal(money('CAD', 3.9), '$3.90');
  assert.equal(money('USD', 1234.5), '$1,234.50');
  assert.deepEqual([signed(1.5), signed(-0.25), signed(0)], ['+1.50 %', '−0.25 %', '0.00 %']);
});
