import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts the program of another server, with all its threads on this core; on any core when left out. */
export function startProgram(
  command: readonly string[],
  { core, stdio }: { readonly core: number | undefined; readonly stdio: StdioOptions },
): ChildProcess {
  const [program, ...options] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  return spawn(program!, options, { stdio });
}

/** Ends a program and waits for its end. */
export async function endProgram(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
