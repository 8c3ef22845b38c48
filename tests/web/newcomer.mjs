// What a stranger types into the first search box: something is found, or what to ask instead is said. And everyday
// questions: the figure that was asked for is in the first screen.

import { none } from './report.mjs';
import { WIDTHS } from './world.mjs';

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

const SAUCE = '/product?q=sweet+baby+rays+barbecue+sauce&country=ca';
const FOOD = '/category?category=food&country=ca';
const MEMORY = '/category?category=memory&country=us';
// Question, page, where the figure is, and what it looks like.
const EVERYDAY = [
  ['What does barbecue sauce cost?', SAUCE, '.headline strong', /^\$\d+\.\d\d CAD$/],
  ['Where is it cheapest?', SAUCE, '.headline .where', /walmart/],
  ['When was that seen?', SAUCE, '.headline', /in stock, seen \d+ \w+ 2026/],
  ['What does it cost elsewhere?', SAUCE, '.hero table tbody tr:nth-child(2)', /\$\d+\.\d\d/],
  ['Was it cheaper before?', SAUCE, '.headline', /lowest (price )?of the \d+ days seen since/],
  ['How did food prices move?', FOOD, '.headline strong', /^[+−][\d.]+ %$/],
  ['Is that certain?', FOOD, '.headline', /95 % interval.*zero/],
  ['What does a usual food product cost?', FOOD, '.hero table tr:nth-child(1)', /\$\d+\.\d\d in the middle/],
  ['What dropped most?', FOOD, '.hero table tr:nth-child(2)', /−[\d.]+ % \w+/],
  ['Who promotes most?', FOOD, '.hero table tr:nth-child(3)', /promotes most/],
  ['How many products is that, at how many retailers?', FOOD, 'h1 + p', /[\d,]+ products with a current price at \d+ retailers/],
  ['Which brand has most memory?', MEMORY, '.hero table tr:last-child', /[\d.]+ %$/],
];

export async function newcomer(world) {
  await everyday(world);
  await suggested(world);
  await typed(world);
}

async function everyday(world) {
  for (const width of WIDTHS) {
    await world.report.check(`twelve everyday questions are answered in the first screen at ${width} px`, () =>
      world.with({ width, scripts: false }, async (page) => {
        const faults = [];
        for (const [question, path, place, expected] of EVERYDAY) {
          if (!page.url().endsWith(path)) await page.goto(path);
          const figure = page.locator(place).first();
          const text = ((await figure.textContent()) ?? '').trim().replace(/\s+/g, ' ');
          const box = await figure.boundingBox();
          if (!expected.test(text)) faults.push(`${question} “${text}”`);
          else if (!box || box.y + box.height > page.viewportSize().height)
            faults.push(`${question} ends at ${Math.round(box?.y + box?.height)} px`);
        }
        none(faults, 'questions without their figure');
      }),
    );
  }
}

async function suggested(world) {
  await world.report.check('suggestions of both searches come from free routes', () =>
    world.with({}, async (page) => {
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      for (const [path, field, typed, expected] of [
        ['/', '#q', 'wine', 'wine'],
        ['/', '#q', 'tabas', 'Tabasco'],
        ['/category', '#category', 'prot', 'food/protein-foods'],
      ]) {
        await page.goto(path);
        await page.locator(field).pressSequentially(typed);
        const option = page.getByRole('option', { name: expected }).first();
        await option.waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        if (!(await page.inputValue(field)).toLowerCase().includes(typed)) throw new Error(`${typed} became something else`);
      }
      none(
        asked.filter((path) => path.startsWith('/v1/') && !path.startsWith('/v1/public/')),
        'paid routes asked for suggestions',
      );
    }),
  );
}

async function typed(world) {
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
