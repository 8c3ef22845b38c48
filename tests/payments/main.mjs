// Runs the suites that are named, all of them without a name.

import { begin, summary } from './lib/harness.mjs';
import { endAll } from './lib/processes.mjs';
import { startRig } from './rig/start.mjs';

const SUITES = ['pay', 'abuse', 'kill', 'sandbox', 'channels', 'channel_examples'];

const cut = process.argv.indexOf('--');
const names = process.argv.slice(2, cut < 0 ? undefined : cut);
const filter = cut < 0 ? '' : process.argv.slice(cut + 1).join(' ');
const unknown = names.filter((name) => !SUITES.includes(name));
if (unknown.length) {
  console.error(`no such suite: ${unknown}; there are ${SUITES.join(', ')}`);
  process.exit(2);
}

try {
  const began = performance.now();
  await startRig();
  console.log(`chains and facilitators are up after ${Math.round(performance.now() - began)} ms`);
  for (const name of SUITES.filter((suite) => !names.length || names.includes(suite))) {
    begin(name, filter);
    // Not imported before: the modules of the suites take the rig's URLs from the environment.
    const suite = await import(`./suites/${name}.mjs`);
    await suite.run();
  }
  process.exitCode = summary() ? 0 : 1;
} catch (error) {
  console.error(`the suite cannot go on: ${error?.stack ?? error}`);
  process.exitCode = 1;
} finally {
  endAll();
}
process.exit();
