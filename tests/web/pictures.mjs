// The pictures of the README: the same pages, at the same size, in the same light.

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { drawn } from './pages.mjs';

// A product whose price moves.
const HISTORY = '/explore/shopper/price-history?q=broccoli&country=ca&time_window=last_90_days';
const PRODUCT = '/product?q=sweet+baby+rays+barbecue+sauce&country=ca';
const CATEGORY = '/category?category=food&country=ca';
const BYTES_MAX = 150 * 1024;
const run = promisify(execFile);

export async function pictures(world) {
  const shots = {
    front: '/',
    product: PRODUCT,
    category: CATEGORY,
    'price-history': HISTORY,
    coverage: '/coverage?country=ca',
  };
  for (const [name, path] of Object.entries(shots)) {
    await world.report.check(`${name}.png`, () =>
      world.with({}, async (page) => {
        await page.goto(path);
        await drawn(page);
        // The figure is what the picture is of.
        if (name === 'price-history')
          await page.evaluate(() => document.querySelector('section.outcome figure').scrollIntoView());
        const file = `${world.pictures}/${name}.png`;
        await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
        // Fewer colours, where pngquant is there.
        await run('pngquant', ['--force', '--output', file, '--speed', '1', '--strip', '128', file]).catch((fault) => {
          if (fault.code !== 'ENOENT') throw fault;
        });
        const { size } = await stat(file);
        if (size > BYTES_MAX)
          throw new Error(`${size} bytes; pngquant makes it smaller (Debian: apt-get install pngquant)`);
        return `${size} bytes`;
      }),
    );
  }
}
