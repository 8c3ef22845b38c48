// What pages weigh as a browser receives them, and when the first one is there.

import { get } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { drawn } from './pages.mjs';
import { none } from './report.mjs';

const SCRIPTS_MAX = 120 * 1024;
const STYLES_MAX = 15 * 1024;
const VIEWS = 9;
// A page that takes this long is broken; how fast it is otherwise is a figure and no test.
const VIEW_BOUND_MS = 5000;

const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

export async function budgets(world) {
  const { report } = world;
  const paths = [
    '/',
    '/product?q=sweet+baby+rays+barbecue+sauce&country=ca',
    '/coverage?country=ca',
    '/reference',
    '/docs/methodology',
    ...world.routes.flatMap(({ examples }) => examples.map((one) => one.replace('/v1/', '/explore/'))),
  ];
  const files = new Map();
  const html = [];
  await report.check('what pages load is small', async () => {
    const urls = new Set();
    await world.with({}, async (page) => {
      page.on('request', (request) => urls.add(request.url()));
      for (const path of paths) {
        await page.goto(path);
        await drawn(page);
      }
    });
    for (const url of urls) {
      const { kind, ...file } = await weigh(url);
      if (kind === 'html') html.push({ url, ...file });
      else if (['javascript', 'css'].includes(kind)) files.set(url, { kind, ...file });
    }
    const sum = (kind, field) =>
      [...files.values()].filter((file) => file.kind === kind).reduce((total, file) => total + file[field], 0);
    report.figure(
      'scripts, Brotli / raw',
      `${kilobytes(sum('javascript', 'sent'))} / ${kilobytes(sum('javascript', 'raw'))}`,
    );
    report.figure('style, Brotli / raw', `${kilobytes(sum('css', 'sent'))} / ${kilobytes(sum('css', 'raw'))}`);
    const heaviest = html.toSorted((a, b) => b.raw - a.raw)[0];
    report.figure(
      'HTML, median and most, raw',
      `${kilobytes(median(html.map(({ raw }) => raw)))}, ${kilobytes(heaviest.raw)} (${heaviest.url.slice(world.servers.free.length)})`,
    );
    none(
      [...files].filter(([, { coding }]) => coding !== 'br').map(([url]) => url),
      'files that are not sent in Brotli',
    );
    if (sum('javascript', 'sent') > SCRIPTS_MAX)
      throw new Error(`scripts take ${kilobytes(sum('javascript', 'sent'))}`);
    if (sum('css', 'raw') > STYLES_MAX) throw new Error(`the style takes ${kilobytes(sum('css', 'raw'))}`);
    return `${files.size} files`;
  });
  await report.check('the first view', async () => {
    const times = [];
    for (let view = 0; view < VIEWS; view += 1) {
      times.push(
        await world.with({}, async (page) => {
          await page.goto('/', { waitUntil: 'load' });
          return page.evaluate(
            () =>
              new Promise((done) => {
                const seen = (list) => list.getEntriesByName('first-contentful-paint')[0];
                const now = seen(performance);
                if (now) done(now.startTime);
                else
                  new PerformanceObserver((list) => seen(list) && done(seen(list).startTime)).observe({
                    type: 'paint',
                    buffered: true,
                  });
              }),
          );
        }),
      );
    }
    report.figure('first view (median of 9 fresh contexts)', `${median(times).toFixed(0)} ms`);
    if (median(times) > VIEW_BOUND_MS) throw new Error(`${median(times)} ms`);
  });
}

// Bytes as they are sent to a browser, and as they are read there.
function weigh(url) {
  return new Promise((done, fail) => {
    const headers = { 'accept-encoding': 'br', accept: 'text/html,*/*;q=0.8' };
    get(url, { headers }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const coding = response.headers['content-encoding'];
      const kind = /(html|javascript|css)/.exec(response.headers['content-type'])?.[0];
      done({ kind, coding, sent: body.length, raw: (coding === 'br' ? brotliDecompressSync(body) : body).length });
    }).on('error', fail);
  });
}
