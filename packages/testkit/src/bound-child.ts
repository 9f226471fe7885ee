import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/** Whether a program ends also when a signal has killed this process, which then runs no JavaScript any more. */
export const outlivesNoKill = existsSync(setpriv);

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * `spawn` of a program that ends with this process: after an uncaught error, a `process.exit` and, on Linux, a `kill -9`. Linux sends the
 * program the signal that `setpriv --pdeathsig` names when its parent ends (prctl(2), PR_SET_PDEATHSIG).
 */
export const spawnBound = ((command: string, args: readonly string[], options: object) => {
  const child = outlivesNoKill
    ? spawn(setpriv, ['--pdeathsig', 'KILL', '--', command, ...args], options)
    : spawn(command, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}) as typeof spawn;
