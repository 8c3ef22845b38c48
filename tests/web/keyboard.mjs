// By keys alone: the order of what is reached, the focus that is seen, the suggestions.

import assert from 'node:assert/strict';
import { none } from './report.mjs';

const TABS_MAX = 250;

export async function keyboard(world) {
  const { report } = world;
  const [price] = world.routes.find(({ path }) => path.endsWith('/price-history')).examples;
  for (const path of [
    price.replace('/v1/', '/explore/'),
    '/',
    '/coverage?country=ca',
    '/reference/shopper/best-price',
  ]) {
    await report.check(`by Tab through ${path.split('?')[0]}`, () =>
      world.with({}, async (page) => {
        await page.goto(path);
        const stops = await walk(page);
        const places = stops.map(({ place }) => place);
        assert.equal(stops[0].place, 'skip', 'the first stop is the skip link');
        // Skip link, navigation, form, outcome, footer: each is left for good.
        const order = places.filter((place, at) => place !== places[at - 1]);
        const expected = ['skip', 'header', 'form', 'main', 'footer'];
        const ranks = order.map((place) => expected.indexOf(place));
        if (path.includes('/explore/'))
          assert.deepEqual(
            order.filter((place) => place !== 'main'),
            ['skip', 'header', 'form', 'footer'],
            `order ${order}`,
          );
        assert.deepEqual(
          ranks.filter((rank) => rank < 2),
          [0, 1],
          `order ${order}`,
        );
        assert.equal(order.at(-1), 'footer', `order ${order}`);
        none(
          stops.filter(({ seen }) => !seen).map(({ name }) => name),
          'stops where the focus is not seen',
        );
        return `${stops.length} stops`;
      }),
    );
  }
  await report.check('the skip link skips', () =>
    world.with({}, async (page) => {
      await page.goto(price.replace('/v1/', '/explore/'));
      await page.keyboard.press('Tab');
      const { y } = await page.locator('a.skip').boundingBox();
      assert.ok(y >= 0, 'the skip link is not seen when it has the focus');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      assert.ok(
        await page.evaluate(() => document.querySelector('main').contains(document.activeElement)),
        'the focus is not in the content',
      );
    }),
  );
  await report.check('suggestions by keys alone', () =>
    world.with({}, async (page) => {
      await page.goto('/explore/marketing/share-of-shelf');
      const field = page.locator('form.ask [data-suggest=categories]').first();
      await field.focus();
      await page.keyboard.type('mem', { delay: 30 });
      const options = page.locator('[role=listbox] [role=option]');
      await options.first().waitFor({ state: 'visible' });
      assert.equal(await field.getAttribute('role'), 'combobox');
      assert.equal(await field.getAttribute('aria-expanded'), 'true');
      assert.equal(await field.inputValue(), 'mem', 'typing is left alone');
      await page.keyboard.press('ArrowDown');
      const active = await field.getAttribute('aria-activedescendant');
      assert.ok(
        active && (await page.locator(`[id="${active}"][aria-selected=true]`).count()) === 1,
        'no active option',
      );
      const said = await options.count();
      await page.keyboard.press('Escape');
      assert.equal(await field.getAttribute('aria-expanded'), 'false', 'Escape leaves the list open');
      await field.fill('');
      await page.keyboard.type('mem', { delay: 30 });
      await options.first().waitFor({ state: 'visible' });
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      assert.match(await field.inputValue(), /mem/i);
      assert.equal(await field.getAttribute('aria-expanded'), 'false');
      assert.equal(await page.locator('section.outcome[data-status]').count(), 0, 'Enter on an option sends the form');
      await page.keyboard.press('Enter');
      await page.locator('section.outcome[data-status="200"]').waitFor();
      return `${said} suggestions for “mem”`;
    }),
  );
}

// Where Tab leads from the top until it leaves the page.
async function walk(page) {
  const stops = [];
  for (let count = 0; count < TABS_MAX; count += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const node = document.activeElement;
      if (!node || node === document.body) return null;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
      const area = (one) =>
        one.closest('.skip')
          ? 'skip'
          : one.closest('header')
            ? 'header'
            : one.closest('form.ask')
              ? 'form'
              : one.closest('footer')
                ? 'footer'
                : 'main';
      const first = !node.dataset.met;
      node.dataset.met = 'yes';
      return {
        first,
        place: area(node),
        seen: (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== 'none',
        name: `${node.localName} ${(node.id || node.textContent || '').trim().slice(0, 40)}`,
      };
    });
    if (!stop || !stop.first) break;
    stops.push(stop);
  }
  assert.ok(stops.length < TABS_MAX && stops.at(-1)?.place === 'footer', `Tab stays at ${stops.at(-1)?.name}`);
  return stops;
}
