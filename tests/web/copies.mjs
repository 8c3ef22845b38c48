// What the copy buttons give is run as it stands, and gives the answer that the page shows.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { none } from './report.mjs';
import { each, timeless, unfold } from './world.mjs';

const SECONDS_MAX = 60;
const AT_ONCE = 2;
const execute = promisify(execFile);

// A request whose parameters have to be quoted, in addresses, in shells and in programs.
const QUOTED = '/v1/shopper/best-price?q=sweet+baby+ray%27s+%22barbecue%22+%24HOME+%60id%60+sauce&country=ca';

export async function copies(world) {
  const { report } = world;
  const examples = [
    ...world.routes.flatMap((route) => route.examples.slice(0, 1)).filter((one) => one.includes('?')),
    QUOTED,
  ];
  await report.check('curl, Python and TypeScript as copied give what the page shows', async () => {
    const faults = [];
    // There is one clipboard: one page after the other, and then programs side by side.
    const all = [];
    for (const example of examples) {
      try {
        all.push({ example, programs: await copied(world, world.servers.free, example) });
      } catch (fault) {
        faults.push(`${example}: ${fault.message}`);
      }
    }
    await each(all, AT_ONCE, async ({ example, programs }, at) => {
      try {
        const answer = timeless(await (await fetch(`${world.servers.free}${example}`)).json());
        // Python starts slowly: every route by curl and TypeScript, a few by Python.
        const languages = ['curl', 'typescript', ...(at % 4 === 0 || example === QUOTED ? ['python'] : [])];
        for (const language of languages) {
          const printed = await runs[language](world, programs[language], `${at}`);
          assert.deepEqual(timeless(parsed(printed)), answer, language);
        }
      } catch (fault) {
        faults.push(`${example}: ${fault.message}`);
      }
    });
    none(faults, 'programs that do something else');
    return `${examples.length} requests`;
  });
  await report.check('where it is paid, curl shows the offer and the programs pay', async () => {
    const programs = await copied(world, world.servers.sandbox, examples[0]);
    const refused = await runs.curl(world, programs.curl, 'paid');
    assert.match(refused, /402|PAYMENT_REQUIRED|accepts|"amount"/, refused.slice(0, 400));
    const answer = timeless(await (await fetch(`${world.servers.free}${examples[0]}`)).json());
    for (const language of ['python', 'typescript']) {
      assert.deepEqual(timeless(parsed(await runs[language](world, programs[language], 'paid'))), answer, language);
    }
    return 'Python and TypeScript, test money';
  });
}

// The three programs, by their buttons and the clipboard.
async function copied(world, server, example) {
  return world.with({ server, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(example.replace('/v1/', '/explore/'));
    const programs = {};
    await unfold(page.locator('section.copy'));
    for (const language of ['curl', 'python', 'typescript']) {
      const block = page.locator(`section.copy pre[data-language=${language}]`);
      await page.getByRole('button', { name: `Copy ${language}` }).click();
      programs[language] = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(
        programs[language].trim(),
        (await block.locator('code').textContent()).trim(),
        `what is copied for ${language}`,
      );
    }
    return programs;
  });
}

const within = { timeout: SECONDS_MAX * 1000, maxBuffer: 1 << 26 };

const runs = {
  async curl(_, program) {
    return (await execute('bash', ['-c', program], within)).stdout;
  },
  async python({ python, work }, program, name) {
    const file = `${work}/copied/${name}.py`;
    await writeFile(file, program);
    return (await execute(python, [file], { ...within, cwd: `${work}/copied` })).stdout;
  },
  // Types are dropped; the rest runs as it stands. Payers ask public nodes: nothing has a name but loopback.
  async typescript({ work }, program, name) {
    const { code } = await transform(program, { loader: 'ts', format: 'esm', target: 'es2022' });
    const file = `${work}/copied/${name}.mjs`;
    await writeFile(file, code);
    return (await execute(process.execPath, [`--import=${work}/copied/loopback.mjs`, file], within)).stdout;
  },
};

// The JSON that a program printed, whatever it says besides.
function parsed(printed) {
  const begin = printed.indexOf('{');
  const end = printed.lastIndexOf('}');
  assert.ok(begin >= 0 && end > begin, `no JSON was printed: ${printed.slice(0, 200)}`);
  return JSON.parse(printed.slice(begin, end + 1));
}
