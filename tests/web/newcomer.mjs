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
        await Promise.all([page.waitForURL(/\/product\?/), field.press('Enter')]);
        const country = new URL(page.url()).searchParams.get('country') ?? '';
        const headline = page.locator('.headline strong');
        if ((await headline.count()) === 1) {
          const note = page.locator('.note');
          const doubt = (await note.count()) === 1 ? await note.textContent() : '';
          rows.push([query, country, await page.textContent('h1'), await headline.textContent(), doubt]);
        } else {
          const outcome = page.locator('section.outcome');
          const status = await outcome.getAttribute('data-status');
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
            '',
          ]);
          if (instead.length === 0) faults.push(`${query}: ${status}, and nothing to ask instead`);
        }
      }
    });
    none(faults, 'queries that lead nowhere');
    return `${rows.filter(([, , , price]) => price !== '').length} of ${QUERIES.length} found`;
  });
  for (const [query, country, found, price, doubt] of rows) {
    console.log(`      ${query.padEnd(14)} ${country.padEnd(3)} ${price.padStart(12)}  ${found}${doubt && ` (${doubt})`}`);
  }
}
