// Without JavaScript: every example is asked by filling the form and pressing the button, and what is shown is what the
// route answers.

import assert from 'node:assert/strict';
import { none } from './report.mjs';
import { each, timeless, unfold } from './world.mjs';

const AT_ONCE = 2;

export async function forms(world) {
  const { report } = world;
  const asked = world.routes.flatMap((route) => route.examples.map((example) => ({ ...route, example })));
  await report.check('without scripts, every example by its form, shown as the route answers', async () => {
    const faults = [];
    let numbers = 0;
    await each(asked, AT_ONCE, async ({ path, explorer, example }) => {
      try {
        numbers += await world.with({ scripts: false }, (page) => ask(page, path, explorer, example));
      } catch (fault) {
        faults.push(`${example}: ${fault.message}`);
      }
    });
    none(faults, 'forms that do not');
    return `${asked.length} forms, ${numbers} numbers in tables`;
  });
  await report.check('without scripts, a fault is at its field', () =>
    world.with({ scripts: false }, async (page) => {
      const response = await page.goto('/explore/shopper/price-history?q=tea&lookback_days=-3');
      assert.equal(response.status(), 400);
      const field = page.locator('form.ask [name=lookback_days]');
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const [message] = (
        (await field.getAttribute('aria-errormessage')) ??
        (await field.getAttribute('aria-describedby')) ??
        ''
      ).split(' ');
      assert.ok(await page.locator(`[id="${message}"]`).isVisible(), 'the fault is not shown');
      assert.equal(await page.inputValue('form.ask [name=q]'), 'tea');
    }),
  );
  await report.check('without scripts, what is not found leads on', () =>
    world.with({ scripts: false }, async (page) => {
      const response = await page.goto('/explore/marketing/share-of-shelf?category=memmory');
      assert.equal(response.status(), 404);
      const suggestion = page.locator('.outcome a[href*="category="]').first();
      await suggestion.click();
      assert.equal(await page.locator('.outcome').getAttribute('data-status'), '200');
    }),
  );
}

async function ask(page, path, explorer, example) {
  await page.goto(explorer);
  const form = page.locator(`form.ask[data-route="${path}"]`);
  await unfold(form);
  for (const [name, value] of new URL(example, 'http://any').searchParams)
    await fill(form.locator(`[name="${name}"]`), value);
  const [response] = await Promise.all([
    page.waitForNavigation(),
    form.locator('button[type=submit], button:not([type])').first().click(),
  ]);
  assert.equal(response.status(), 200, 'status of the page');
  const outcome = page.locator('section.outcome');
  assert.equal(await outcome.getAttribute('data-status'), '200');
  const request = await outcome.getAttribute('data-request');
  const server = new URL(page.url()).origin;
  const [answer, again] = await Promise.all(
    [example, request].map(async (target) => (await fetch(`${server}${target}`)).json()),
  );
  assert.deepEqual(timeless(again), timeless(answer), 'the form asks something else');
  assert.deepEqual(
    timeless(JSON.parse(await page.textContent('script.answer'))),
    timeless(answer),
    'the answer in the page',
  );
  assert.deepEqual(
    timeless(JSON.parse(await page.textContent('details.json code'))),
    timeless(answer),
    'the JSON that is shown',
  );
  return compare(await shown(page), answer);
}

async function fill(field, value) {
  const { tag, type } = await field.evaluate((node) => ({ tag: node.localName, type: node.type }));
  if (tag === 'select') await field.selectOption(value);
  else if (type === 'checkbox') await field.setChecked(value === 'true');
  else await field.fill(value);
}

const shown = (page) =>
  page.evaluate(() => {
    const text = (node) => node.textContent.trim();
    const outcome = document.querySelector('section.outcome');
    return {
      numbers: [...outcome.querySelectorAll('td.num')].filter((cell) => !cell.querySelector('.unknown')).map(text),
      tables: [...outcome.querySelectorAll('table')].map((table) => ({
        of: table.dataset.rows,
        caption: table.caption ? text(table.caption) : null,
        rows: table.tBodies[0]?.rows.length ?? 0,
        heads: [...table.querySelectorAll('th')].every((head) => head.scope),
      })),
    };
  });

// Every number in a table is one of the answer's, and every list of rows of the answer has a table of as many rows.
function compare({ numbers, tables }, answer) {
  const known = new Set();
  const walk = (value) => {
    if (typeof value === 'number') known.add(value);
    if (value && typeof value === 'object') Object.values(value).forEach(walk);
  };
  walk(answer);
  const values = numbers.filter(Boolean).map((text) => [text, ...text.split(/\s*(?:–|\bto\b|,\s+)\s*/).map(plain)]);
  none(
    values
      .filter(([, ...parts]) => !parts.every((part) => known.has(part)))
      .map(([text]) => `“${text}” is not in the answer`),
    'numbers of its own',
  );
  none(
    tables.filter(({ caption, heads }) => !caption || !heads).map(({ caption }) => `table ${caption}`),
    'tables without caption or scope',
  );
  const isRows = (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value[0] !== null &&
    typeof value[0] === 'object' &&
    !Array.isArray(value[0]);
  const lists = Object.entries(answer).filter(([, value]) => isRows(value));
  const missing = lists.filter(
    ([name, list]) => !tables.some((table) => table.of === name && table.rows === list.length),
  );
  none(
    missing.map(([name, list]) => `${list.length} rows of ${name}`),
    'lists without their table',
  );
  return values.length;
}

// 1,234.5, $3.97, −0.5 % and the like as numbers.
const plain = (text) => Number(text.replace(/[−]/g, '-').replace(/[^\d.e-]/g, ''));
