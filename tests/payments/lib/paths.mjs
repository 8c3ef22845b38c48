// Requests to the demo. What is fresh was not asked for before, so that an answer to the wrong request shows.

export const FREE = '/v1/public/coverage?country=ca&limit=3';
export const NOTHING_FOUND = '/v1/shopper/best-price?q=zzzzqqqqxxxx&country=ca';
export const BAD_PARAMETERS = '/v1/shopper/best-price?country=ca';
export const DEARER = '/v1/analyst/price-bands?node=beer&country=ca'; // at the analyst's price
// Above 180 days.
export const DEEP = '/v1/analyst/inflation?category=beer&country=ca&from=2026-01-01&to=2026-10-01';

const WORDS =
  'beer wine tofu sauce mustard vodka whisky coffee tea cider lager salmon gin rum milk bread'.split(' ');
const LIMIT_MAX = 50;
let count = 0;

/** A request at the shopper's price; there are 800 of them before one comes again. */
export function fresh() {
  const word = WORDS[Math.floor(count / LIMIT_MAX) % WORDS.length];
  const limit = (count % LIMIT_MAX) + 1;
  count += 1;
  return `/v1/shopper/best-price?q=${word}&country=ca&limit=${limit}`;
}
