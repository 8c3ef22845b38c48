// With JavaScript: pictures are drawn of what the answer says, requests run without a page load, and what it costs is said
// before.

import assert from 'node:assert/strict';
import { drawn } from './pages.mjs';
import { none } from './report.mjs';

export async function scripts(world) {
  const { report } = world;
  const example = (name) => world.routes.find(({ path }) => path.endsWith(`/${name}`)).examples[0].replace('/v1/', '/explore/');
  for (const [name, count] of Object.entries(MARKS)) {
    await report.check(`the picture of ${name}`, () => world.with({}, async (page) => {
      await page.goto(example(name));
      await drawn(page);
      const answer = JSON.parse(await page.textContent('script.answer'));
      const figures = await page.locator('figure[data-picture]').evaluateAll((all) => all.map((figure) => ({
        kind: figure.dataset.picture,
        named: Boolean((figure.querySelector('svg')?.getAttribute('aria-label')
          ?? figure.querySelector('[role=img]')?.getAttribute('aria-label') ?? figure.getAttribute('aria-label'))?.trim()),
        groups: [...figure.querySelectorAll('svg g:is([data-mark], [aria-label])')].map((group) => [
          group.dataset.mark ?? group.getAttribute('aria-label'), group.childElementCount,
        ]),
        ink: figure.querySelectorAll('svg :is(path, circle, rect, line)').length,
        broken: [...figure.querySelectorAll('svg *')].filter((node) => [...node.attributes]
          .some(({ value }) => /NaN|undefined|Infinity/.test(value))).map((node) => node.outerHTML.slice(0, 120)),
      })));
      assert.ok(figures.length > 0, 'no picture');
      for (const { kind, named, groups, ink, broken } of figures) {
        assert.ok(ink > 0, `nothing is drawn for ${kind}`);
        assert.ok(named, `${kind} has no name`);
        none(broken, `marks of ${kind} with no place`);
        const expected = Object.entries(count(answer));
        for (const [label, numbers] of expected) {
          const drawnMarks = groups.filter(([one, number]) => one === label && number > 0).map(([, number]) => number);
          assert.deepEqual(drawnMarks, numbers.filter((number) => number > 0), `marks “${label}” of ${kind}`);
        }
      }
      return Object.entries(count(answer)).map(([label, numbers]) => `${label} ${numbers.join(' + ')}`).join(', ');
    }));
  }
  await report.check('pictures follow the width and the colour scheme', () => world.with({ width: 1280 }, async (page) => {
    await page.goto(example('price-history'));
    await drawn(page);
    const width = () => page.locator('figure[data-picture] svg').first().evaluate((svg) => svg.getBoundingClientRect().width);
    const wide = await width();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForFunction(() => document.querySelector('figure[data-picture] svg').getBoundingClientRect().width < 390);
    assert.ok(wide > 390);
    const ink = () => page.locator('figure[data-picture] svg text').first().evaluate((text) => getComputedStyle(text).fill);
    const light = await ink();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction((before) => getComputedStyle(document.querySelector('figure[data-picture] svg text')).fill !== before, light);
  }));
  await report.check('a request runs without a page load; back and forward work', () => world.with({}, async (page) => {
    await page.goto('/explore/marketing/share-of-shelf');
    await page.evaluate(() => { globalThis.stayed = true; });
    const ask = async (category) => {
      await page.fill('form.ask [name=category]', category);
      await page.keyboard.press('Escape');
      await page.click('form.ask button[type=submit]');
      await page.locator(`section.outcome[data-request*="category=${category}"]`).waitFor();
      await drawn(page);
    };
    const field = () => page.inputValue('form.ask [name=category]');
    await ask('memory');
    await ask('storage');
    assert.equal(await page.evaluate(() => globalThis.stayed), true, 'the page was loaded anew');
    assert.match(page.url(), /category=storage/);
    await page.goBack();
    await page.locator('section.outcome[data-request*="category=memory"]').waitFor();
    assert.equal(await field(), 'memory', 'the form goes back with the answer');
    await page.goForward();
    await page.locator('section.outcome[data-request*="category=storage"]').waitFor();
    assert.equal(await field(), 'storage');
    await page.goBack();
    await page.goBack();
    await page.waitForFunction(() => !document.querySelector('section.outcome[data-request]'));
  }));
  await report.check('what is refused is shown without a page load', () => world.with({}, async (page) => {
    await page.goto('/explore/marketing/share-of-shelf');
    await page.fill('form.ask [name=category]', 'qqzzx');
    await page.keyboard.press('Escape');
    await page.click('form.ask button[type=submit]');
    await page.locator('section.outcome[data-status="404"]').waitFor();
  }));
  await report.check('in the sandbox the price is said before it is asked, and nothing is paid', () => world.with({ server: world.servers.sandbox }, async (page) => {
    const paid = [];
    page.on('request', (request) => {
      const { authorization, 'payment-signature': signature, 'x-payment': payment } = request.headers();
      if (authorization || signature || payment) paid.push(request.url());
    });
    await page.goto('/explore/shopper/best-price');
    await page.fill('form.ask [name=q]', 'ketchup');
    await page.selectOption('form.ask [name=country]', 'ca');
    const quote = page.locator('form.ask [role=status]').filter({ hasText: /Costs 0\.01 USD, about .*ketchup/i });
    await quote.waitFor();
    const said = (await quote.textContent()).trim();
    await page.click('form.ask button[type=submit]');
    const outcome = page.locator('section.outcome[data-status="402"], section.outcome[data-status="200"]');
    await outcome.waitFor();
    assert.match(await outcome.textContent(), /0\.01/);
    assert.equal(await page.locator('script.answer').count(), 0, 'an answer that was not paid');
    none(paid, 'payments');
    return said;
  }));
  await report.check('the landscape pages on without a page load', () => world.with({}, async (page) => {
    await page.goto('/explore/marketing/competitive-landscape?category=memory&limit=5');
    await page.evaluate(() => { globalThis.stayed = true; });
    const first = () => page.locator('section.outcome tbody tr').first().textContent();
    const before = await first();
    const request = await page.getAttribute('section.outcome', 'data-request');
    await page.click('section.outcome [rel=next]');
    await page.waitForFunction((old) => document.querySelector('section.outcome')?.dataset.request !== old, request);
    assert.notEqual(await first(), before);
    assert.equal(await page.evaluate(() => globalThis.stayed), true, 'the page was loaded anew');
  }));
}

// Rows that have all of these fields: null is no mark.
const known = (rows, ...names) => rows.filter((row) => names.every((name) => row[name] !== null && row[name] !== undefined));
const BARS_MAX = 24;

// By route, how many marks the picture of an answer has to have: groups of Plot by their label, in their order.
const MARKS = {
  'price-history'({ series, series_summary: summary }) {
    const days = known(series, 'price');
    const drops = (summary?.drops ?? []).filter((drop) => days.some(({ date }) => date === drop.date));
    return { dot: [days.length, drops.length] };
  },
  inflation(answer) {
    const sums = known([answer.lfl_change_pct, answer.overall_change_pct, answer.naive_overall_change_pct].map((sum) => ({ sum })), 'sum');
    return { link: [answer.lfl_ci95_pct ? 1 : 0], dot: [sums.length, ...changes(answer.time_series)] };
  },
  'price-bands': ({ tiers, band }) => ({ rect: [band?.example ? 1 : 0, known(tiers, 'products').length] }),
  'price-dispersion': ({ histogram }) => ({ rect: [known(histogram, 'count').length] }),
  'retailer-index'({ time_series: series }) {
    const rows = series.filter(({ insufficient_sample: few }) => !few);
    return { dot: [known(rows, 'price_index').length, known(rows, 'matched_index').length] };
  },
  'share-of-shelf': ({ brands }) => ({ bar: [Math.min(known(brands, 'share_pct').length, BARS_MAX)] }),
  'promo-intelligence'({ retailers, brands }) {
    const rows = retailers ?? brands;
    const count = (name) => Math.min(known(rows, name).length, BARS_MAX);
    return { bar: [count('promo_frequency_pct')], dot: [count('avg_promo_depth_pct')] };
  },
  'competitive-landscape': ({ items }) => ({ dot: [known(items, 'price').length] }),
};

// Changes from period to period: naive ones, then matched ones.
function changes(rows) {
  const naive = rows.slice(1).filter((row, at) => row.avg_price !== null && rows[at].avg_price !== null);
  return [naive.length, rows.filter((row) => row.method === 'matched' && row.change_pct !== null).length];
}
