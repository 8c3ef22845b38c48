// Names that want to be markup, as they come from anywhere: they are shown as they are written, and nothing else
// happens.

import assert from 'node:assert/strict';
import {
  CLOSING_NAME,
  HOSTILE_BRAND,
  HOSTILE_CATEGORY,
  LONG_NAME,
  RIGHT_TO_LEFT_NAME,
  SCRIPT_NAME,
} from './inputs.mjs';
import { none } from './report.mjs';
import { judge, overflow } from './world.mjs';

const ask = (path, parameters) => `/explore/${path}?${new URLSearchParams(parameters)}`;

export async function hostile(world) {
  const { report } = world;
  const server = world.servers.hostile;
  const found = async (q) =>
    (await fetch(`${server}/v1/shopper/best-price?${new URLSearchParams({ q, country: 'us' })}`)).json();
  const requests = [
    [ask('shopper/best-price', { q: SCRIPT_NAME, country: 'us' }), SCRIPT_NAME],
    [ask('shopper/best-price', { q: 'onerror coffee', country: 'us' }), CLOSING_NAME],
    [ask('shopper/best-price', { q: 'evil', country: 'us' }), RIGHT_TO_LEFT_NAME],
    [ask('shopper/best-price', { q: LONG_NAME, country: 'us' }), LONG_NAME],
    [ask('shopper/price-history', { q: 'onerror coffee', country: 'us' }), CLOSING_NAME],
    [ask('marketing/competitive-landscape', { category: HOSTILE_CATEGORY, country: 'us' }), CLOSING_NAME],
    [ask('marketing/share-of-shelf', { category: HOSTILE_CATEGORY, country: 'us' }), HOSTILE_BRAND],
    [ask('marketing/brand-tracker', { brand: HOSTILE_BRAND, country: 'us' }), HOSTILE_BRAND],
    ['/coverage?country=us', null],
    ['/', null],
  ];
  await report.check('hostile names are text', async () => {
    const faults = [];
    assert.equal((await found('onerror coffee')).best_price?.product_name, CLOSING_NAME, 'the catalog keeps names as they are');
    for (const width of [390, 1280]) {
      await world.with({ server, width }, async (page) => {
        page.on('dialog', (dialog) => {
          faults.push(`a dialog: ${dialog.message()}`);
          return dialog.dismiss();
        });
        for (const [path, name] of requests) {
          const response = await page.goto(path);
          if (response.status() !== 200) faults.push(`${path}: ${response.status()}`);
          const main = await page.textContent('main');
          if (name && !main.includes(name)) faults.push(`${path} does not show ${name.slice(0, 60)}`);
          if ((await page.title()) === 'taken') faults.push(`${path} ran a name`);
          const taken = await page
            .locator(
              'main script:not([type="application/json"]), main img[onerror], main b[onmouseover], a[href^="javascript:" i]',
            )
            .count();
          if (taken > 0) faults.push(`${path} made markup of a name`);
          for (const fault of await overflow(page)) faults.push(`${path} at ${width} px: ${fault}`);
          if (width === 390) for (const fault of await judge(page)) faults.push(`${path}: ${fault}`);
        }
      });
    }
    none(faults, 'faults');
    return `${requests.length} pages`;
  });
  await report.check('a query that is markup is text too', () =>
    world.with({ server }, async (page) => {
      for (const path of [
        ask('shopper/best-price', { q: '"><script>document.title="taken"</script>' }),
        '/no/<script>document.title="taken"</script>',
      ]) {
        await page.goto(path);
        assert.notEqual(await page.title(), 'taken');
        assert.equal(await page.locator('main script:not([type="application/json"])').count(), 0);
      }
    }),
  );
  await report.check('a catalog with hardly anything in it has its pages', () =>
    world.with({ server: world.servers.small }, async (page) => {
      const faults = [];
      const questions = [
        ['/', 200],
        ['/coverage', 200],
        ['/explore', 200],
        [ask('shopper/best-price', { q: 'lamp', country: 'ca' }), 200],
        [ask('shopper/best-price', { q: 'unseen', country: 'ca' }), null],
        [ask('shopper/price-history', { q: 'lonely lamp', country: 'ca' }), null],
        [ask('analyst/inflation', { category: 'home', country: 'ca' }), null],
        [ask('analyst/price-bands', { node: 'home', country: 'ca' }), null],
      ];
      for (const [path, status] of questions) {
        const response = await page.goto(path);
        if (status ? response.status() !== status : response.status() >= 500)
          faults.push(`${path}: ${response.status()}`);
        for (const fault of await judge(page)) faults.push(`${path}: ${fault}`);
        // What the front page offers, this catalog answers.
        if (path !== '/') continue;
        const offered = await page
          .locator('main a[href^="/explore/"][href*="?"]')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        for (const href of offered) {
          const answer = await fetch(`${world.servers.small}${href}`);
          if (answer.status !== 200) faults.push(`the front page offers ${href}: ${answer.status}`);
        }
      }
      none(faults, 'faults');
    }),
  );
}
