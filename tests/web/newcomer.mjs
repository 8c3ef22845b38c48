// What a stranger types into the first search box: something is found, or what to ask instead is said.

import { none } from './report.mjs';

const QUERIES = [
  'ketchup',
  'rtx 4070',
  'milk',
  'oat milk',
  'coca cola',
  'ps5',
  'beer',
  'tylenol',
  'iphone',
  'ryzen 7',
  'ssd 1tb',
  'red wine',
  'bananas',
  'chedar cheese',
  'lait',
  'pasta',
  'coffee beans',
  'whisky',
  'diapers',
  '4k monitor',
];

export async function newcomer(world) {
  const { report } = world;
  const rows = [];
  await report.check('a newcomer’s twenty queries', async () => {
    const faults = [];
    await world.with({}, async (page) => {
      for (const query of QUERIES) {
        await page.goto('/');
        const field = page.locator('main form [name=q]').first();
        await field.fill(query);
        await Promise.all([page.waitForURL(/\/explore\//), field.press('Enter')]);
        const outcome = page.locator('section.outcome');
        await outcome.waitFor();
        const status = await outcome.getAttribute('data-status');
        const country = new URL(page.url()).searchParams.get('country') ?? '';
        if (status === '200') {
          const {
            best_price: best,
            related_matches: related,
            dropped_terms: dropped,
          } = JSON.parse(await page.textContent('script.answer'));
          rows.push([
            query,
            country,
            best?.product_name ?? related?.[0]?.product_name ?? 'a page without a product',
            best?.price ?? '',
            dropped ?? [],
          ]);
          if (!best) faults.push(`${query}: no product`);
        } else {
          const instead = await outcome.locator('a[href*="?"]').allTextContents();
          rows.push([
            query,
            country,
            `${status}; instead: ${
              instead
                .slice(0, 4)
                .map((one) => one.trim())
                .join(' | ') || 'nothing'
            }`,
            '',
            [],
          ]);
          if (instead.length === 0) faults.push(`${query}: ${status}, and nothing to ask instead`);
        }
      }
    });
    none(faults, 'queries that lead nowhere');
    return `${rows.filter(([, , , price]) => price !== '').length} of ${QUERIES.length} found`;
  });
  for (const [query, country, found, price, dropped] of rows) {
    const without = dropped.length > 0 ? ` (without ${dropped.join(', ')})` : '';
    console.log(`      ${query.padEnd(14)} ${country.padEnd(3)} ${`${price}`.padStart(8)}  ${found}${without}`);
  }
}
