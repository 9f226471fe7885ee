import { DecodeError } from './decode-error.ts';
import { createDecodeJob, type DecodeJob } from './decode-job.ts';
import type { DecodeOrder, DecodeReport } from './protocol.ts';

// The library writes every fault of a file to the console; the server gets a report instead.
console.error = () => {};

const maxSampleRate = Number(process.argv[2]);
const announced = new Map<number, { readonly file: Uint8Array; filled: number; readonly seconds: number }>();
const jobs = new Map<number, DecodeJob>();
/** The limit of a file's slice in one turn. */
const turnMs = 5;
/** Unread pieces of 16 KB: a busy receiver must not make them pile up here. */
const mostUntaken = 32;
let untaken = 0;
let isTurning = false;

process.on('message', (order: DecodeOrder) => {
  if (order.type === 'decode') {
    announced.set(order.job, { file: new Uint8Array(order.bytes), filled: 0, seconds: order.seconds });
    if (order.bytes > 0) return;
  }
  void take(order);
});
// Without the server no decoded file has a receiver.
process.on('disconnect', () => process.exit());

async function take(order: DecodeOrder): Promise<void> {
  const { job } = order;
  const coming = announced.get(job);
  if (coming === undefined) return;
  const { file, seconds } = coming;
  if (order.type === 'piece') {
    file.set(order.bytes, coming.filled);
    coming.filled += order.bytes.length;
    if (coming.filled < file.length) return;
  }
  announced.delete(job);
  report({ type: 'turn', job });
  try {
    const begin = (sampleRate: number, mostSamples: number): void =>
      report({ type: 'begun', job, sampleRate, mostSamples });
    const sink = { begin, take: (samples: Int16Array) => pass(job, samples) };
    jobs.set(job, await createDecodeJob(file, { seconds, maxSampleRate }, sink));
  } catch (error) {
    return fail(job, error);
  }
  wake();
}

function wake(): void {
  if (isTurning || jobs.size === 0 || untaken > mostUntaken) return;
  isTurning = true;
  setImmediate(takeTurns);
}

/** Decodes a slice of each file in turn, so that a short file need not wait for the end of a long one. */
function takeTurns(): void {
  for (const [name, job] of jobs) {
    report({ type: 'turn', job: name });
    try {
      if (!turn(job)) continue;
      jobs.delete(name);
      report({ type: 'done', job: name });
    } catch (error) {
      jobs.delete(name);
      fail(name, error);
    }
    job.end();
  }
  isTurning = false;
  wake();
}

function turn(job: DecodeJob): boolean {
  const until = performance.now() + turnMs;
  do {
    if (job.turn()) return true;
  } while (performance.now() < until);
  return false;
}

function fail(job: number, error: unknown): void {
  const { code, message } = error instanceof DecodeError ? error : unreadable;
  report({ type: 'failed', job, code, sentence: message });
}

/** Every error of the library is caused by the file. */
const unreadable = new DecodeError('broken-file', 'it is broken: it could not be decoded');

function pass(job: number, samples: Int16Array): void {
  untaken++;
  send({ type: 'samples', job, samples }, () => {
    untaken--;
    wake();
  });
}

function report(message: DecodeReport): void {
  send(message, () => {});
}

function send(message: DecodeReport, sent: () => void): void {
  process.send?.(message, sent);
}
