import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../report.ts';

const settleMs = 4000;
const measuredMs = 10_000;
const bin = join(import.meta.dirname, '../../apps/server/bin/jackfield.js');
/** Linux counts CPU time in hundredths of a second for every program (USER_HZ). */
const ticksPerSecond = 100;

/** The whole platform without a call, started as an operator does: CPU time of all its threads, and resident memory. */
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
      const percent = ((after.cpuSeconds - before.cpuSeconds) / (performance.now() - began)) * 1e5;
      return {
        figures: [
          { what: 'CPU of the idle process', value: percent, unit: '% of a core', budget: { atMost: 1 } },
          {
            what: 'resident memory of the idle process',
            value: after.residentKiB / 1024,
            unit: 'MiB',
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

function read(pid: number): { readonly cpuSeconds: number; readonly residentKiB: number } {
  // After the name of the program: utime and stime are fields 14 and 15 of proc(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    residentKiB: Number(resident),
  };
}
