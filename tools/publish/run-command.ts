import { spawnSync } from 'node:child_process';

/** The output of a command; throws with what it printed when it fails. */
export function runCommand(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}
