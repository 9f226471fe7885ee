import { readFileSync } from 'node:fs';
import { createSoundDecoder } from '../index.ts';
import { mp3File, sine } from './sound-files.ts';

// A process of its own, started with --expose-gc: the memory of a test runner varies too much for a measurement.

/** Memory of a process in MB: now, or the peak. */
function megabytes(pid: number | 'self', what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)![1]) / 1024);
}

const minute = await mp3File([sine(440, 8_000, 60)], 8_000, 8);
const threeHours = new Uint8Array(Buffer.concat(Array.from({ length: 180 }, () => minute)));
const decoder = createSoundDecoder();
await decoder.decode(minute, { seconds: 1_800 });
gc!();
const before = megabytes('self', 'VmRSS');
const held = (): number => megabytes('self', 'VmRSS') - before;

/** The least of several collections: another thread frees the buffers that a collection found, without an event at its end. */
async function heldAtLeast(): Promise<number> {
  let least = held();
  for (let collections = 0; collections < 20; collections += 1) {
    gc!();
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, held());
  }
  return least;
}

const outcomes = await Promise.allSettled(
  Array.from({ length: 8 }, () => decoder.decode(threeHours, { seconds: 1_800 })),
);
const refused = outcomes.filter(({ status }) => status === 'rejected').length;
const afterRefusals = await heldAtLeast();

/** The clip is released with the return. */
async function hold(): Promise<{ seconds: number; whileHeld: number }> {
  const clip = await decoder.decode(threeHours, { seconds: 12_000 });
  return { seconds: clip.samples.length / clip.sampleRate, whileHeld: held() };
}

const used = await hold();
const decoderPeak = megabytes(decoder.pid!, 'VmHWM');
await decoder.close();
process.send!({
  refused,
  afterRefusals,
  ...used,
  decoderPeak,
  bytes: threeHours.length,
  afterRelease: await heldAtLeast(),
});
process.disconnect();
