// What the scripts decide without a page: their own tests, in Node.js.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';

export async function units(world) {
  await world.report.check('the scripts’ own tests', async () => {
    const folder = `${world.work}/clone/tests/web/unit`;
    const files = (await readdir(folder))
      .filter((name) => name.endsWith('.test.mjs'))
      .map((name) => `${folder}/${name}`);
    assert.ok(files.length > 0, `no test in ${folder}`);
    const ran = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], { encoding: 'utf8' });
    const count = (word) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(ran.stdout)?.[1] ?? 0);
    const failed = ran.stdout
      .split('\n')
      .filter((line) => /^\s*not ok/.test(line))
      .join('\n');
    assert.ok(ran.status === 0 && count('pass') > 0, failed || ran.stderr || ran.stdout);
    return `${count('pass')} tests of ${files.length} files`;
  });
}
