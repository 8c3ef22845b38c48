// With JavaScript: pictures are drawn of what the answer says, requests run without a page load, and what it costs is
// said before.

import assert from 'node:assert/strict';
import { drawn } from './pages.mjs';
import { none } from './report.mjs';

export async function scripts(world) {
  const { report } = world;
  const example = (name) =>
    world.routes.find(({ path }) => path.endsWith(`/${name}`)).examples[0].replace('/v1/', '/explore/');
  for (const [name, count] of Object.entries(MARKS)) {
    await report.check(`the picture of ${name}`, () =>
      world.with({}, async (page) => {
        await page.goto(example(name));
        await drawn(page);
        const answer = JSON.parse(await page.textContent('script.answer'));
        const figures = await page.locator('figure[data-picture]').evaluateAll((all) =>
          all.map((figure) => ({
            kind: figure.dataset.picture,
            named: Boolean(
              (
                figure.querySelector('svg')?.getAttribute('aria-label') ??
                figure.querySelector('[role=img]')?.getAttribute('aria-label') ??
                figure.getAttribute('aria-label')
              )?.trim(),
            ),
            groups: [...figure.querySelectorAll('svg g:is([data-mark], [aria-label])')].map((group) => [
              group.dataset.mark ?? group.getAttribute('aria-label'),
              group.childElementCount,
            ]),
            ink: figure.querySelectorAll('svg :is(path, circle, rect, line)').length,
            broken: [...figure.querySelectorAll('svg *')]
              .filter((node) => [...node.attributes].some(({ value }) => /NaN|undefined|Infinity/.test(value)))
              .map((node) => node.outerHTML.slice(0, 120)),
          })),
        );
        assert.ok(figures.length > 0, 'no picture');
        for (const { kind, named, groups, ink, broken } of figures) {
          assert.ok(ink > 0, `nothing is drawn for ${kind}`);
          assert.ok(named, `${kind} has no name`);
          none(broken, `marks of ${kind} with no place`);
          const expected = Object.entries(count(answer));
          for (const [label, numbers] of expected) {
            const drawnMarks = groups
              .filter(([one, number]) => one === label && number > 0)
              .map(([, number]) => number);
            assert.deepEqual(
              drawnMarks,
              numbers.filter((number) => number > 0),
              `marks “${label}” of ${kind}`,
            );
          }
        }
        return Object.entries(count(answer))
          .map(([label, numbers]) => `${label} ${numbers.join(' + ')}`)
          .join(', ');
      }),
    );
  }
  await report.check('pictures follow the width and the colour scheme', () =>
    world.with({ width: 1280 }, async (page) => {
      await page.goto(example('price-history'));
      await drawn(page);
      const width = () =>
        page
          .locator('figure[data-picture] svg')
          .first()
          .evaluate((svg) => svg.getBoundingClientRect().width);
      const wide = await width();
      await page.setViewportSize({ width: 390, height: 800 });
      await page.waitForFunction(
        () => document.querySelector('figure[data-picture] svg').getBoundingClientRect().width < 390,
      );
      assert.ok(wide > 390);
      const ink = () =>
        page
          .locator('figure[data-picture] svg text')
          .first()
          .evaluate((text) => getComputedStyle(text).fill);
      const light = await ink();
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(
        (before) => getComputedStyle(document.querySelector('figure[data-picture] svg text')).fill !== before,
        light,
      );
    }),
  );
  await report.check('a request runs without a page load; back and forward work', () =>
    world.with({}, async (page) => {
      await page.goto('/explore/marketing/share-of-shelf');
      await page.evaluate(() => {
        globalThis.stayed = true;
      });
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
    }),
  );
  await report.check('what is refused is shown without a page load', () =>
    world.with({}, async (page) => {
      await page.goto('/explore/marketing/share-of-shelf');
      await page.fill('form.ask [name=category]', 'qqzzx');
      await page.keyboard.press('Escape');
      await page.click('form.ask button[type=submit]');
      await page.locator('section.outcome[data-status="404"]').waitFor();
    }),
  );
  await report.check('in the sandbox the price is said before it is asked, and nothing is paid', () =>
    world.with({ server: world.servers.sandbox }, async (page) => {
      const paid = [];
      page.on('request', (request) => {
        const { authorization, 'payment-signature': signature, 'x-payment': payment } = request.headers();
        if (authorization || signature || payment) paid.push(request.url());
      });
      await page.goto('/explore/shopper/best-price');
      await page.fill('form.ask [name=q]', 'tofu');
      await page.selectOption('form.ask [name=country]', 'ca');
      const quote = page.locator('form.ask [role=status]').filter({ hasText: /Costs 0\.01 USD\b.+tofu/i });
      await quote.waitFor();
      const said = (await quote.textContent()).trim();
      await page.click('form.ask button[type=submit]');
      const outcome = page.locator('section.outcome[data-status="402"], section.outcome[data-status="200"]');
      await outcome.waitFor();
      assert.match(await outcome.textContent(), /0\.01/);
      assert.equal(await page.locator('script.answer').count(), 0, 'an answer that was not paid');
      none(paid, 'payments');
      return said;
    }),
  );
  await report.check('the landscape pages on without a page load', () =>
    world.with({}, async (page) => {
      await page.goto('/explore/marketing/competitive-landscape?category=memory&limit=5');
      await page.evaluate(() => {
        globalThis.stayed = true;
      });
      const first = () => page.locator('section.outcome tbody tr').first().textContent();
      const before = await first();
      const request = await page.getAttribute('section.outcome', 'data-request');
      await page.click('section.outcome [rel=next]');
      await page.waitForFunction((old) => document.querySelector('section.outcome')?.dataset.request !== old, request);
      assert.notEqual(await first(), before);
      assert.equal(await page.evaluate(() => globalThis.stayed), true, 'the page was loaded anew');
    }),
  );
}

// How many rows have a value, in a picture of so many rows at most: null is no mark.
const ROWS_MAX = 20;
const known = (rows, name) => (rows ?? []).filter((row) => row[name] !== null && row[name] !== undefined).length;

// By route, how many marks the picture of an answer has to have: groups of Plot by their label, in their order.
const MARKS = {
  'price-history'({ observations, series, series_summary: summary }) {
    const isOther = JSON.stringify(observations) !== JSON.stringify(series);
    return { dot: [isOther ? known(observations, 'price') : 0, known(series, 'price'), summary?.drops?.length ?? 0] };
  },
  inflation(answer) {
    const sums = [answer.lfl_change_pct, answer.lfl_median_pct, answer.naive_overall_change_pct];
    const changes = known(answer.time_series, 'change_pct');
    return {
      link: [answer.lfl_ci95_pct ? 1 : 0],
      dot: [sums.filter((sum) => sum !== null).length, changes > 1 ? changes : 0],
    };
  },
  'price-bands': ({ tiers }) => ({ rect: [tiers.length, known(tiers, 'brand_products')] }),
  'price-dispersion': ({ histogram }) => ({ rect: [histogram.length] }),
  'retailer-index': ({ time_series: series }) => ({
    dot: [known(series, 'matched_index'), known(series, 'price_index')],
  }),
  'share-of-shelf': ({ brands }) => ({ bar: [Math.min(brands.length, ROWS_MAX)] }),
  'promo-intelligence'({ retailers, brands }) {
    const rows = (retailers ?? brands).slice(0, ROWS_MAX);
    const deep = known(rows, 'avg_promo_depth_pct');
    return { bar: [known(rows, 'promo_frequency_pct')], dot: [known(rows, 'max_promo_depth_pct'), rows.length, deep] };
  },
  'competitive-landscape'({ items }) {
    const promoted = items.filter(({ promo_flag: flag }) => flag);
    return { dot: [known(items, 'price') - known(promoted, 'price'), known(promoted, 'price')] };
  },
};
