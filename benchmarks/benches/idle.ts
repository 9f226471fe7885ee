import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../report.ts';

/** The start ends with a collection; V8 collects once more 8 s later, as it does after each, and then no more. */
const settleMs = 15_000;
const measuredMs = 30_000;
const bin = join(import.meta.dirname, '../../apps/server/bin/jackfield.js');
/** Linux counts CPU time in hundredths of a second for every program (USER_HZ). */
const ticksPerSecond = 100;

/** The whole platform without a call, started as an operator does: CPU time and wakes of all its threads, and resident memory. */
export const idle: Bench = {
  name: 'idle',
  async run() {
    // The first start of a checkout compiles, and later ones read what it kept.
    await whileRunning(async () => {});
    return whileRunning(async (pid) => {
      await wait(settleMs);
      const before = read(pid);
      const began = performance.now();
      await wait(measuredMs);
      const after = read(pid);
      const seconds = (performance.now() - began) / 1000;
      const percent = ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100;
      return {
        figures: [
          { what: 'CPU of the idle process', value: percent, unit: '% of a core', budget: { atMost: 1 } },
          { what: 'wakes of all its threads', value: (after.wakes - before.wakes) / seconds, unit: '/s' },
          {
            what: 'resident memory of the idle process',
            value: (after.residentKiB * 1024) / 1e6,
            unit: 'MB',
            budget: { atMost: 200 },
          },
        ],
        details: { before, after },
      };
    });
  },
};

async function whileRunning<Value>(use: (pid: number) => Promise<Value>): Promise<Value> {
  const dataDir = mkdtempSync(join(tmpdir(), 'jackfield-idle-'));
  const server = spawn(process.execPath, [bin, 'start'], {
    env: {
      ...process.env,
      JACKFIELD_DATA_DIR: dataDir,
      JACKFIELD_HTTP_PORT: '0',
      JACKFIELD_SIP_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  try {
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', (text) => String(text).includes('Jackfield is ready') && resolve());
      exited.then(() => reject(new Error('the server did not start')));
    });
    return await use(server.pid!);
  } finally {
    server.kill('SIGTERM');
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Reading {
  readonly cpuSeconds: number;
  readonly wakes: number;
  readonly residentKiB: number;
}

function read(pid: number): Reading {
  // After the name of the program: utime and stime are fields 14 and 15 of proc(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    // A thread that waits again has switched voluntarily: a busy machine adds none.
    wakes: readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + switchesOf(pid, thread), 0),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    residentKiB: Number(resident),
  };
}

function switchesOf(pid: number, thread: string): number {
  const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}
