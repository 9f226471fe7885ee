import { spawnSync } from 'node:child_process';

/** False when the program is here; otherwise the reason with which a test that needs it is skipped by name. */
export function missing(...programs: readonly string[]): false | string {
  const absent = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  return absent.length === 0 ? false : `not installed: ${absent.join(', ')} (.ci/run installs them)`;
}
