// Runs checks one after the other: a line for each, and a count at the end.

const CHECK_TIMEOUT_MS = 150_000;

let suite = '';
let group = '';
let filter = '';
let passed = 0;
const failed = [];

/** Names the suite that the next checks belong to, and says which of them run. */
export function begin(name, wanted) {
  suite = name;
  group = '';
  filter = wanted;
}

/** Names a group of checks within the suite; it stands before their names. */
export function beginGroup(name) {
  group = `${name}: `;
}

/** Runs one check. What goes wrong in it is told and counted, and the next check runs. */
export async function check(name, run, limitMs = CHECK_TIMEOUT_MS) {
  const label = `${suite.padEnd(8)} ${group}${name}`;
  if (filter && !label.includes(filter)) return;
  const began = performance.now();
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`still running after ${limitMs} ms`)),
      limitMs,
    );
  });
  try {
    const note = await Promise.race([run(), timeout]);
    passed += 1;
    const millis = Math.round(performance.now() - began);
    console.log(`ok    ${label.padEnd(84)} ${String(millis).padStart(6)} ms ${note ?? ''}`.trimEnd());
  } catch (error) {
    failed.push(label);
    console.log(`FAIL  ${label}\n      ${String(error?.stack ?? error).replaceAll('\n', '\n      ')}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Prints the count; whether everything passed. */
export function summary() {
  console.log(`\n${passed} passed, ${failed.length} failed`);
  for (const label of failed) console.log(`  failed: ${label}`);
  return failed.length === 0 && passed > 0;
}
