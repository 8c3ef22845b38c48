// One line per check, figures at the end.

import { stripVTControlCharacters } from 'node:util';

export class Report {
  passed = 0;
  failed = 0;
  #figures = [];

  // Runs a check: it fails by throwing, and what it returns is said beside its name.
  async check(name, run) {
    try {
      const said = await run();
      this.passed += 1;
      console.log(`ok    ${name}${said ? `: ${said}` : ''}`);
    } catch (fault) {
      this.failed += 1;
      const [first, ...rest] = stripVTControlCharacters(`${fault?.message ?? fault}`).split('\n');
      console.log(`FAIL  ${name}: ${first}`);
      for (const line of rest.slice(0, 20)) console.log(`      ${line}`);
    }
  }

  figure(name, value) {
    this.#figures.push([name, value]);
  }

  end() {
    const width = Math.max(0, ...this.#figures.map(([name]) => name.length));
    for (const [name, value] of this.#figures) console.log(`${name.padEnd(width)}  ${value}`);
    console.log(`${this.passed} passed, ${this.failed} failed`);
  }
}

// Fails with every line, if there is any.
export function none(faults, what) {
  if (faults.length > 0) throw new Error([`${faults.length} ${what}`, ...new Set(faults)].join('\n'));
}
