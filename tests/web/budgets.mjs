// What pages weigh as a browser receives them, and when the first one is there.

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
  const paths = ['/', '/coverage?country=ca', '/reference', '/docs/methodology', ...world.routes.flatMap(
    ({ examples }) => examples.map((one) => one.replace('/v1/', '/explore/')),
  )];
  const files = new Map();
  const html = [];
  await report.check('what pages load is small', async () => {
    await world.with({}, async (page) => {
      const received = [];
      page.on('requestfinished', (request) => received.push(weigh(request)));
      for (const path of paths) {
        // What a cache holds is not sent again: each file is weighed where it was.
        await page.goto(path, { waitUntil: 'networkidle' });
      }
      for (const { url, kind, sent, raw, coding } of await Promise.all(received)) {
        if (kind === 'document') html.push({ url, sent, raw });
        else if (['script', 'stylesheet'].includes(kind) && raw > 0) files.set(url, { kind, sent, raw, coding });
      }
    });
    const sum = (kind, field) => [...files.values()].filter((file) => file.kind === kind).reduce((total, file) => total + file[field], 0);
    report.figure('scripts, Brotli / raw', `${kilobytes(sum('script', 'sent'))} / ${kilobytes(sum('script', 'raw'))}`);
    report.figure('style, Brotli / raw', `${kilobytes(sum('stylesheet', 'sent'))} / ${kilobytes(sum('stylesheet', 'raw'))}`);
    const heaviest = html.toSorted((a, b) => b.raw - a.raw)[0];
    report.figure('HTML, median and most, raw', `${kilobytes(median(html.map(({ raw }) => raw)))}, ${kilobytes(heaviest.raw)} (${heaviest.url.slice(world.servers.free.length)})`);
    none([...files].filter(([, { coding }]) => coding !== 'br').map(([url]) => url), 'files that are not sent in Brotli');
    if (sum('script', 'sent') > SCRIPTS_MAX) throw new Error(`scripts take ${kilobytes(sum('script', 'sent'))}`);
    if (sum('stylesheet', 'raw') > STYLES_MAX) throw new Error(`the style takes ${kilobytes(sum('stylesheet', 'raw'))}`);
    return `${files.size} files`;
  });
  await report.check('the first view', async () => {
    const times = [];
    for (let view = 0; view < VIEWS; view += 1) {
      times.push(await world.with({}, async (page) => {
        await page.goto('/', { waitUntil: 'load' });
        return page.evaluate(() => new Promise((done) => {
          const seen = (list) => list.getEntriesByName('first-contentful-paint')[0];
          const now = seen(performance);
          if (now) done(now.startTime);
          else new PerformanceObserver((list) => seen(list) && done(seen(list).startTime)).observe({ type: 'paint', buffered: true });
        }));
      }));
    }
    report.figure('first view (median of 9 fresh contexts)', `${median(times).toFixed(0)} ms`);
    if (median(times) > VIEW_BOUND_MS) throw new Error(`${median(times)} ms`);
  });
}

async function weigh(request) {
  const response = await request.response();
  const { responseBodySize: sent } = await request.sizes();
  const raw = (await response.body().catch(() => Buffer.alloc(0))).length;
  return { url: request.url(), kind: request.resourceType(), sent, raw, coding: response.headers()['content-encoding'] };
}
