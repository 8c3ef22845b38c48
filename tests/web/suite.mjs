// Every check, in the order in which a fault is easiest to read. `run` starts it.

import { Report } from './report.mjs';
import { World } from './world.mjs';
import { budgets } from './budgets.mjs';
import { copies } from './copies.mjs';
import { forms } from './forms.mjs';
import { hostile } from './hostile.mjs';
import { keyboard } from './keyboard.mjs';
import { newcomer } from './newcomer.mjs';
import { pages } from './pages.mjs';
import { pictures } from './pictures.mjs';
import { scripts } from './scripts.mjs';
import { units } from './units.mjs';

const CHECKS = { units, pages, hostile, forms, scripts, copies, keyboard, newcomer, budgets };

const asked = process.argv.slice(2);
const report = new Report();
const world = await World.open(report);
try {
  if (asked.includes('--pictures')) {
    await pictures(world);
  } else {
    for (const [name, run] of Object.entries(CHECKS)) {
      if (asked.length > 0 && !asked.includes(name)) continue;
      const begun = performance.now();
      await run(world);
      report.figure(`seconds: ${name}`, ((performance.now() - begun) / 1000).toFixed(1));
    }
  }
} finally {
  await world.browser.close();
}
report.end();
process.exitCode = report.failed > 0 ? 1 : 0;
