// Which suggestions go with what is typed, and which comes first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matching } from '../../../src/web/assets/matching.js';

const words = ['Computers > PC Parts > Memory', 'Computers > PC Parts > Memory > Laptop', 'Food > Café', 'Home'].map((label, at) => ({ label, value: `${at}` }));
const labels = (typed) => matching(words, typed).map(({ label }) => label.split(' > ').at(-1));

test('the last segment counts most', () => {
  assert.deepEqual(labels('mem'), ['Memory', 'Laptop']);
  assert.deepEqual(labels('laptop'), ['Laptop']);
  assert.deepEqual(labels('memory lap'), ['Laptop']);
});

test('case and accents do not count', () => {
  assert.deepEqual(labels('CAFE'), ['Café']);
  assert.deepEqual(labels('café'), ['Café']);
});

test('what has not every word is left out', () => {
  assert.deepEqual(labels('memory food'), []);
  assert.deepEqual(labels('').length, words.length);
});
