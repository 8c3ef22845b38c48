// Writes two small inputs as CSV: one whose names are hostile, one with hardly anything in it.

import { mkdir, writeFile } from 'node:fs/promises';

export const SCRIPT_NAME = '<script>document.title="taken"</script> "tea" & \'cups\' 200 g';
export const CLOSING_NAME = '</script><img src=x onerror=alert(1)> coffee 500 g';
export const RIGHT_TO_LEFT_NAME = 'זעתר מובחר \u202Eevil 100 g';
export const LONG_NAME = `${'Endlessly'.repeat(33)} 1 kg`;
export const HOSTILE_BRAND = '<b onmouseover="alert(1)">Bold</b> & Söhne';
export const HOSTILE_CATEGORY = 'Food & "<i Drink';

const NAMES = [
  SCRIPT_NAME,
  CLOSING_NAME,
  RIGHT_TO_LEFT_NAME,
  LONG_NAME,
  'مشروب ‏غازي 330 ml',
  '{{7*7}} ${7*7} `x` 2 l',
  'tea plain 100 g',
];
const DAYS = Array.from({ length: 75 }, (_, at) => new Date(Date.UTC(2026, 7, 17 + at)).toISOString().slice(0, 10));
const SHOPS = ['corner-shop', 'x'.repeat(60)];

const cell = (value) => `"${`${value ?? ''}`.replaceAll('"', '""')}"`;
const csv = (rows) =>
  `${[Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((row) => row.map(cell).join(',')).join('\n')}\n`;

async function write(folder, listings, observations) {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/listings.csv`, csv(listings));
  await writeFile(`${folder}/observations.csv`, csv(observations));
}

// A thirteenth digit after twelve.
function gtin(twelve) {
  const sum = [...twelve].reduce((total, digit, at) => total + Number(digit) * (at % 2 ? 3 : 1), 0);
  return `${twelve}${(10 - (sum % 10)) % 10}`;
}

async function hostile(folder) {
  const listings = [];
  const observations = [];
  for (const [shopAt, platform] of SHOPS.entries()) {
    for (const [at, product_name] of NAMES.entries()) {
      const key = { country: 'us', platform, product_id: `"'<${at}>` };
      listings.push({
        ...key,
        product_name,
        brand: at % 2 ? HOSTILE_BRAND : 'Plain',
        gtin: gtin(`40012345678${at}`),
        category_path: `${HOSTILE_CATEGORY} > ${at < 4 ? 'Tea "fine"' : 'Rest'}`,
        url: `javascript:alert(${at})`,
      });
      for (const [day, date] of DAYS.entries()) {
        const price = (3 + at + shopAt * 0.5 + (day % 20 < 4 ? 0 : 0.75)).toFixed(2);
        observations.push({
          ...key,
          date,
          price,
          list_price: (5 + at).toFixed(2),
          in_stock: day % 2 === 0,
          promo: day % 20 < 4,
        });
      }
    }
  }
  await write(folder, listings, observations);
}

// One listing that was seen once, one that never was.
async function small(folder) {
  const key = { country: 'ca', platform: 'only-shop', product_id: '1' };
  await write(
    folder,
    [
      { ...key, product_name: 'Lonely Lamp', category_path: 'Home' },
      { ...key, product_id: '2', product_name: 'Unseen Lamp', category_path: 'Home' },
    ],
    [{ ...key, date: '2026-10-30', price: '12.00' }],
  );
}

if (process.argv.length > 3) {
  const [hostileFolder, smallFolder] = process.argv.slice(2);
  await hostile(hostileFolder);
  await small(smallFolder);
}
