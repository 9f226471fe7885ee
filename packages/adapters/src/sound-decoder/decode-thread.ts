import { parentPort, workerData } from 'node:worker_threads';
import { DecodeError } from './decode-error.ts';
import { createDecodeJob, type DecodeJob } from './decode-job.ts';
import type { DecodeOrder, DecodeReport, DecodeThreadData } from './protocol.ts';

// The decoder writes every fault of a file to the console; whoever sent the file is told in another way.
console.error = () => {};

const { maxSampleRate } = workerData as DecodeThreadData;
if (parentPort === null) throw new Error('the decoder is started as a worker');
const port = parentPort;
const jobs = new Map<number, DecodeJob>();
let isTurning = false;

port.on('message', async ({ job, file, seconds }: DecodeOrder) => {
  report({ type: 'turn', job });
  try {
    jobs.set(job, await createDecodeJob(file, { seconds, maxSampleRate }));
  } catch (error) {
    return fail(job, error);
  }
  if (isTurning) return;
  isTurning = true;
  setImmediate(takeTurns);
});

/** A slice of each file in turn, so that a short one need not wait for the end of a long one. */
function takeTurns(): void {
  for (const [name, job] of jobs) {
    report({ type: 'turn', job: name });
    try {
      const clip = job.turn();
      if (clip === undefined) continue;
      jobs.delete(name);
      report({ type: 'done', job: name, clip }, [clip.samples.buffer as ArrayBuffer]);
    } catch (error) {
      jobs.delete(name);
      fail(name, error);
    }
    job.end();
  }
  isTurning = jobs.size > 0;
  if (isTurning) setImmediate(takeTurns);
}

function fail(job: number, error: unknown): void {
  const { code, message } = error instanceof DecodeError ? error : unreadable;
  report({ type: 'failed', job, code, sentence: message });
}

/** Whatever the decoder of somebody else throws, it is the file that made it do so. */
const unreadable = new DecodeError('broken-file', 'it is broken: it could not be decoded');

function report(message: DecodeReport, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, [...transfer]);
}
