// Every page as it stands: links and anchors, what the browser complains of, axe, widths, and the way from a picture to
// its method.

import { none } from './report.mjs';
import { LOOKS, SCHEMES, WIDTHS, each, judge, overflow } from './world.mjs';

// Of addresses that differ in their query only, so many are asked.
const QUERIES_MAX = 4;
const AT_ONCE = 3;
// A machine that does other things takes its time to draw; whether it drew is what checks ask.
const DRAWN_MS = 10_000;
const NO_PAGE = '/no/such/page';
const NO_CATEGORY = '/category?category=nothing&country=us';

export async function pages(world) {
  const { report } = world;
  const site = await crawl(world);
  const html = [...site.values()].filter((page) => page.html);
  await report.check('every link leads somewhere, every fragment is there', () => {
    const faults = [];
    for (const page of site.values()) {
      if (page.status !== 200) faults.push(`${page.status} ${page.path}, linked from ${page.from}`);
      for (const id of page.repeated ?? []) faults.push(`id ${id} twice on ${page.path}`);
      for (const { path, fragment } of page.links ?? []) {
        const target = site.get(path);
        if (fragment && target?.html && !target.ids.has(fragment)) faults.push(`${page.path} → ${path}#${fragment}`);
      }
    }
    none(faults, 'dead ends');
    report.figure('pages crawled', site.size);
    return `${site.size} addresses, ${html.reduce((sum, page) => sum + page.links.length, 0)} links`;
  });
  await report.check('the crawl met every kind of page', () => {
    const kinds = [
      '/',
      '/explore',
      '/category',
      '/coverage',
      '/reference',
      '/problems',
      '/docs',
      '/docs/methodology',
      '/problems/no-results',
    ];
    const routes = world.routes.flatMap(({ path, explorer, examples }) => [
      path.replace('/v1/', '/reference/'),
      ...(examples.length > 0 ? [explorer] : []),
    ]);
    none(
      [...kinds, ...routes].filter((path) => !site.has(path)),
      'pages that nothing links to',
    );
  });

  const examples = world.routes.flatMap(({ path, examples: asked }) =>
    asked.map((one) => one.replace('/v1/', '/explore/')),
  );
  const plain = html.map(({ path }) => path).filter((path) => !path.includes('?') || path.startsWith('/coverage?'));
  await report.check(
    'axe finds nothing serious, nothing scrolls sideways, the browser complains of nothing',
    async () => {
      const all = [...new Set([...plain, ...examples, NO_PAGE])];
      const faults = [];
      await sweep(world, { scheme: 'light', width: 1280 }, all, faults, { alsoWide: [390, 800] });
      none(faults, 'faults');
      return `${all.length} pages`;
    },
  );
  const samples = sampled(world, examples);
  for (const scheme of SCHEMES) {
    for (const width of WIDTHS.filter((one) => scheme === 'dark' || one !== 1280)) {
      await report.check(`colours and widths of samples, ${scheme}, ${width} px`, async () => {
        const faults = [];
        await sweep(world, { scheme, width }, samples, faults, { rules: LOOKS });
        none(faults, 'faults');
        return `${samples.length} pages`;
      });
    }
  }
  await report.check('the same where payment is asked for', async () => {
    const faults = [];
    const priced = [
      '/',
      '/product?q=sweet+baby+rays+barbecue+sauce&country=ca',
      '/category?category=food&country=ca',
      ...examples.slice(0, 3),
    ];
    await sweep(world, { server: world.servers.sandbox, scheme: 'dark', width: 390 }, priced, faults);
    none(faults, 'faults');
    return `${priced.length} pages`;
  });
  await report.check('each picture leads to how it is made, and that place exists', () => ways(world, site, examples));
}

// One page of each kind.
function sampled(world, examples) {
  const pictured = ['price-history', 'inflation', 'price-bands', 'retailer-index', 'share-of-shelf'];
  return [
    '/',
    '/product?q=sweet+baby+rays+barbecue+sauce&country=ca',
    '/category?category=food&country=ca',
    '/category?category=memory&country=us',
    NO_CATEGORY,
    '/explore',
    '/explore/shopper/best-price',
    '/coverage?country=ca',
    '/reference',
    '/reference/shopper/best-price',
    '/problems/no-results',
    '/docs',
    '/docs/methodology',
    NO_PAGE,
    ...examples.filter((path) => pictured.some((name) => path.includes(`/${name}?`))),
  ];
}

async function sweep(world, options, paths, faults, { alsoWide = [], rules = null } = {}) {
  await each(
    Array.from({ length: AT_ONCE }, (_, at) => paths.filter((_, index) => index % AT_ONCE === at)),
    AT_ONCE,
    async (share) => {
      const { context, faults: seen, page } = await world.page(options);
      for (const path of share) {
        const response = await page.goto(path, { waitUntil: 'load' });
        const expected = [NO_PAGE, NO_CATEGORY].includes(path) ? [404] : [200, 402, 501];
        if (!expected.includes(response.status())) faults.push(`${path}: ${response.status()}`);
        await drawn(page);
        for (const found of await judge(page, rules)) faults.push(`${path}: ${found}`);
        for (const width of [options.width, ...alsoWide]) {
          if (width !== options.width) await page.setViewportSize({ width, height: 800 });
          for (const found of await overflow(page)) faults.push(`${path} at ${width} px: ${found}`);
        }
        if (alsoWide.length > 0) await page.setViewportSize({ width: options.width, height: 800 });
        for (const complaint of seen.splice(0)) faults.push(`${path}: ${complaint}`);
      }
      await context.close();
    },
  );
}

// Waits until every picture that is going to be there is there.
export async function drawn(page) {
  await page
    .waitForFunction(
      () => {
        const figures = [...document.querySelectorAll('figure[data-picture]')];
        return figures.every((figure) => figure.querySelector('svg') || figure.hasAttribute('data-empty'));
      },
      null,
      { timeout: DRAWN_MS },
    )
    .catch(() => {});
}

// Follows what links to this server, from the front page on; of addresses with a query a few of each path.
async function crawl(world) {
  const server = world.servers.free;
  const site = new Map();
  const queries = new Map();
  const { context, page: reader } = await world.page();
  let found = [{ path: '/', from: 'the start' }];
  while (found.length > 0) {
    const next = [];
    await each(found.splice(0), 8, async ({ path, from }) => {
      if (site.has(path)) return;
      const [bare, query] = path.split('?');
      if (query !== undefined) {
        const asked = queries.get(bare) ?? 0;
        if (asked >= QUERIES_MAX) return;
        queries.set(bare, asked + 1);
      }
      const page = { path, from };
      site.set(path, page);
      const response = await fetch(`${server}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      page.status = response.status;
      const text = await response.text();
      if (!response.headers.get('content-type')?.startsWith('text/html')) return;
      page.html = text;
      Object.assign(page, await read(reader, text));
      page.ids = new Set(page.ids);
      page.links = page.hrefs.flatMap((href) => {
        const url = new URL(href, `${server}${path}`);
        if (url.origin !== server) return [];
        return [{ path: `${url.pathname}${url.search}`, fragment: decodeURIComponent(url.hash.slice(1)) }];
      });
      // What an answer links to is asked, and no further.
      if (query !== undefined && from.includes('?')) return;
      next.push(...page.links.map((link) => ({ path: link.path, from: path })));
    });
    found = next.filter(({ path }) => !site.has(path));
  }
  await context.close();
  return site;
}

const read = (reader, text) =>
  reader.evaluate((html) => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    const ids = [...page.querySelectorAll('[id]')].map(({ id }) => id);
    return {
      ids,
      repeated: ids.filter((id, at) => ids.indexOf(id) !== at),
      hrefs: [...page.querySelectorAll('a[href], link[href]')].map((link) => link.getAttribute('href')),
      pictures: [...page.querySelectorAll('figure[data-picture]')].map((figure) => ({
        kind: figure.dataset.picture,
        method: figure.querySelector('figcaption a')?.getAttribute('href') ?? null,
      })),
    };
  }, text);

async function ways(world, site, examples) {
  const { context, page: reader } = await world.page();
  const faults = [];
  const kinds = new Map();
  for (const path of examples) {
    const { pictures } = await read(reader, await (await fetch(`${world.servers.free}${path}`)).text());
    for (const { kind, method } of pictures) {
      kinds.set(kind, method);
      const [target, fragment] = (method ?? '').split('#');
      const page = site.get(target);
      if (!fragment || !page?.ids?.has(decodeURIComponent(fragment))) faults.push(`${path}: ${kind} → ${method}`);
    }
  }
  await context.close();
  none(faults, 'pictures without a method');
  const expected = [
    'price-history',
    'inflation',
    'price-bands',
    'retailer-index',
    'share-of-shelf',
    'promo',
    'landscape',
  ];
  none(
    expected.filter((kind) => !kinds.has(kind)),
    'kinds of pictures that no example has',
  );
  return [...kinds].map(([kind, method]) => `${kind} → ${method}`).join(', ');
}
