import { join } from 'node:path';
import type { SourceCheck } from './check-result.ts';
import { citations } from './citations.ts';
import { docstrings } from './docstrings.ts';
import { documents } from './documents.ts';
import { environment } from './environment.ts';
import { expandingMigrations } from './expanding-migrations.ts';
import { namedExports } from './exports.ts';
import { features } from './features.ts';
import { fileSizes, medianLines } from './file-sizes.ts';
import { identifiers } from './identifiers.ts';
import { keptPromises } from './kept-promises.ts';
import { loadedModules } from './loaded-modules.ts';
import { migrations } from './migrations.ts';
import { names } from './names.ts';
import { blindLibraries } from './product-words.ts';
import { prose } from './prose.ts';
import { purity } from './purity.ts';
import { rawMarkup } from './raw-markup.ts';
import { rfcCoverage } from './rfc-coverage.ts';
import { shownPromises } from './shown-promises.ts';
import { readSourceFiles } from './source-files.ts';
import { testLineFloors, testLineRatio, testLines } from './test-lines.ts';
import { runTool, toolChecks, withoutFormat } from './tool-check.ts';

/**
 * `npm run check`: every rule of the workspace, one line each, all violations, exit code 1 on any. `--without-format` leaves the layout
 * of the text out: a missing line break keeps no test from running.
 */
const sourceChecks: readonly SourceCheck[] = [
  loadedModules,
  features,
  migrations,
  expandingMigrations,
  purity,
  rawMarkup,
  blindLibraries,
  environment,
  names,
  identifiers,
  namedExports,
  prose,
  fileSizes,
  testLines,
  keptPromises,
  docstrings,
  documents,
  citations,
  shownPromises,
  rfcCoverage,
];

const root = join(import.meta.dirname, '../..');
const began = performance.now();
let failed = 0;

function report(name: string, startedAt: number, passed: boolean, findings: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
  console.log(`${passed ? '✔' : '✖'} ${name} (${seconds} s)`);
  if (!passed) {
    failed += 1;
    console.log(findings.replace(/^/gm, '    '));
  }
}

// The tools are programs of their own: they run beside our checks.
const chosen = process.argv.includes('--without-format') ? toolChecks.map(withoutFormat) : toolChecks;
const tools = chosen.map((tool) => {
  const startedAt = performance.now();
  return { tool, startedAt, outcome: runTool(tool, root) };
});
const files = await readSourceFiles(root);
for (const check of sourceChecks) {
  const startedAt = performance.now();
  const violations = check.find(files);
  const findings = violations.map(({ path, line, sentence }) => `${path}:${line} ${sentence}`);
  report(check.name, startedAt, violations.length === 0, findings.join('\n'));
}
for (const { tool, startedAt, outcome } of tools) {
  const { passed, output } = await outcome;
  report(tool.name, startedAt, passed, output);
}

const count = sourceChecks.length + tools.length;
const total = ((performance.now() - began) / 1000).toFixed(1);
const ratios = Object.keys(testLineFloors).map(
  (library) => `${library} ${testLineRatio(files, library)?.toFixed(3)}`,
);
console.log(`test lines for each line of source: ${ratios.join(', ')}`);
console.log(`median of ${medianLines(files)} lines a source file`);
console.log(
  failed === 0 ? `${count} checks passed in ${total} s` : `${failed} of ${count} checks failed in ${total} s`,
);
process.exitCode = failed === 0 ? 0 : 1;
