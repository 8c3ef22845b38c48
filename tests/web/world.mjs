// The browser, the servers, and what every visit is held to: nothing foreign is asked, nothing fails, the console is
// silent.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { none } from './report.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const QUOTE = '/v1/public/quote';
// Rules whose outcome depends on the width of the page and on its colours.
export const LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];
const JUDGED = ['serious', 'critical'];

export const WIDTHS = [390, 800, 1280];
export const SCHEMES = ['light', 'dark'];
const HEIGHT = 800;
const WAIT_MS = 6000;

export class World {
  static async open(report) {
    const world = new World();
    world.report = report;
    world.servers = {
      free: process.env.WEB_FREE,
      sandbox: process.env.WEB_SANDBOX,
      hostile: process.env.WEB_HOSTILE,
      small: process.env.WEB_SMALL,
    };
    world.pictures = process.env.WEB_PICTURES;
    world.work = process.env.WEB_WORK;
    world.python = process.env.WEB_PYTHON;
    world.browser = await chromium.launch({
      executablePath: process.env.WEB_BROWSER,
      // Containers have no namespaces for the sandbox. No name leads anywhere but loopback.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--font-render-hinting=none',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
    world.routes = await routesOf(world.servers.free);
    return world;
  }

  // A page that is watched; whatever it did wrong is in `faults`.
  async page({ server = this.servers.free, width = 1280, scheme = 'light', scripts = true, ...rest } = {}) {
    const context = await this.browser.newContext({
      baseURL: server,
      viewport: { width, height: HEIGHT },
      colorScheme: scheme,
      javaScriptEnabled: scripts,
      reducedMotion: 'reduce',
      deviceScaleFactor: 1,
      locale: 'en-US',
      timezoneId: 'UTC',
      ...rest,
    });
    context.setDefaultTimeout(WAIT_MS);
    const faults = watch(context, server);
    return { context, faults, page: await context.newPage() };
  }

  // Does something with a watched page, and fails for what the page did wrong on the way.
  async with(options, run) {
    const { context, faults, page } = await this.page(options);
    try {
      const said = await run(page, context);
      none(faults, 'complaints of the browser');
      return said;
    } finally {
      await context.close();
    }
  }
}

function watch(context, server) {
  const faults = [];
  const where = (page) => page?.url().replace(server, '') ?? '';
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== server) faults.push(`asks ${url}`);
  });
  context.on('response', (response) => {
    const kind = response.request().resourceType();
    const refusal = response.status() >= (['document', 'fetch', 'xhr'].includes(kind) ? 500 : 400);
    // A route that is not built yet says so with 501.
    if (refusal && response.status() !== 501) faults.push(`${response.status()} for ${response.url()}`);
  });
  context.on('requestfailed', (request) => {
    // A script drops a request that a later one overtakes.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') faults.push(`${reason} for ${request.url()}`);
  });
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // The browser says a refusal of a page or a fetch here too; what else is refused is counted above.
    if (message.text().startsWith('Failed to load resource: the server responded with a status')) return;
    faults.push(`console on ${where(message.page())}: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`script on ${where(error.page())}: ${error.error()}`));
  return faults;
}

// What axe finds serious on a page, one line each.
export async function judge(page, rules = null) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(async (runOnly) => {
    const options = {
      resultTypes: ['violations'],
      preload: false,
      ...(runOnly && { runOnly: { type: 'rule', values: runOnly } }),
    };
    const found = await globalThis.axe.run(document, options);
    return found.violations.map(({ id, impact, help, nodes }) => ({
      id,
      impact,
      help,
      count: nodes.length,
      example: nodes[0].html.slice(0, 160),
      target: `${nodes[0].target}`,
      why: nodes[0].any.concat(nodes[0].all)[0]?.message ?? '',
    }));
  }, rules);
  return violations
    .filter(({ impact }) => JUDGED.includes(impact))
    .map((one) => `${one.impact} ${one.id} ×${one.count}: ${one.why || one.help} at ${one.target}: ${one.example}`);
}

// What makes a page scroll sideways; nothing where it does not.
export async function overflow(page) {
  return page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= room) return [];
    const scrolls = (node) => node && (getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement));
    const wide = [...document.body.querySelectorAll('*')].filter(
      (node) => node.getBoundingClientRect().right > room + 1 && !scrolls(node.parentElement),
    );
    const name = (node) =>
      `${node.localName}${node.id && `#${node.id}`}${[...node.classList].map((one) => `.${one}`).join('')}`;
    return [`${document.documentElement.scrollWidth} px in ${room}: ${wide.slice(0, 4).map(name).join(', ')}`];
  });
}

// Opens all that is folded within.
export async function unfold(part) {
  const folded = part.locator('details:not([open]) > summary');
  while ((await folded.count()) > 0) await folded.first().click();
}

// Every route of the server's own description, with the requests that are its examples.
async function routesOf(server) {
  const document = await (await fetch(`${server}/openapi.json`)).json();
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .map(([path, { get }]) => {
      const { examples = {} } = get.responses['200']?.content?.['application/json'] ?? {};
      const asked = Object.values(examples)
        .map(({ summary }) => summary?.replace(/^GET /, ''))
        .filter(Boolean);
      // A quote is of a request: the explorer has it on the page of what is quoted.
      return { path, explorer: explorer(path), examples: path === QUOTE ? [] : asked };
    });
}

// Where a request, or the form of a route, is a page.
export const explorer = (request) => request.replace('/v1/', '/explore/');

// What the clock adds to an answer, and so differs between two of one request.
const CLOCK = new Set([
  'computed_at',
  'data_freshness_hours',
  'freshness_hours',
  'freshness_seconds',
  'valid_until',
  'expires_at',
]);

export const timeless = (value) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (CLOCK.has(key) ? undefined : inner)));

// Runs over all of a list, a few at a time.
export async function each(list, width, run) {
  const waiting = [...list.entries()];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await run(next[1], next[0]);
    }),
  );
}
