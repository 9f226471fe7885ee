import { readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  /** Differs from that of a later process with the same number; empty where the system does not say. */
  readonly start: string;
}

/** The process that has this number now; undefined when none has. */
export function runningProcess(pid: number): RunningProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is another user's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  const { state, start } = statusOf(pid);
  return state === 'Z' ? undefined : { pid, start };
}

/** proc_pid_stat(5): field 3 is the state, field 22 the start since the boot. Field 2, in brackets, may hold any character. */
function statusOf(pid: number): { readonly state: string; readonly start: string } {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: `${boot} ${fields[19]}` };
  } catch {
    return { state: '', start: '' };
  }
}
