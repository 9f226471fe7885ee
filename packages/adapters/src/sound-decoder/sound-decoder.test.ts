import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SoundClip } from '@jackfield/ports';
import fc from 'fast-check';
import { createSoundDecoder } from './index.ts';
import { chunk, mp3File, pcm16, riff, sine, wavFile } from './testing/sound-files.ts';

const decoder = createSoundDecoder();
after(() => decoder.close());
const limits = { seconds: 60 };
const decode = (file: Uint8Array) => decoder.decode(file, limits);
const secondsOf = ({ samples, sampleRate }: SoundClip) => samples.length / sampleRate;

/** Frequency by counting the rising edges of the middle half, and its effective value (0.354 for our sine). */
function hear({ samples, sampleRate }: SoundClip): { hz: number; level: number } {
  const middle = samples.subarray(samples.length >> 2, (samples.length * 3) >> 2);
  let edges = 0;
  let energy = 0;
  for (let i = 1; i < middle.length; i++) {
    if (middle[i - 1]! < 0 && middle[i]! >= 0) edges++;
    energy += (middle[i]! / 32_767) ** 2;
  }
  return { hz: (edges * sampleRate) / middle.length, level: Math.sqrt(energy / middle.length) };
}

function assertTone(clip: SoundClip, hz: number, seconds: number, level = 0.354): void {
  assert.ok(Math.abs(secondsOf(clip) - seconds) < 0.25, `${secondsOf(clip)} s`);
  const heard = hear(clip);
  assert.ok(Math.abs(heard.hz - hz) < 5, `${heard.hz} Hz`);
  assert.ok(Math.abs(heard.level - level) < 0.02, `level ${heard.level}`);
}

let short: Uint8Array;
before(async () => {
  short = await mp3File([sine(440, 44_100, 1)], 44_100);
});

test('MP3 of every MPEG version is a tone of its frequency, level and length', async () => {
  for (const rate of [8_000, 16_000, 22_050, 44_100, 48_000] as const) {
    const clip = await decode(await mp3File([sine(440, rate, 1)], rate));
    assert.equal(clip.sampleRate, 8_000);
    assertTone(clip, 440, 1);
  }
});

test('two channels of an MP3 or WAV file become one', async () => {
  const left = sine(440, 44_100, 1);
  const silent = new Float32Array(left.length);
  assertTone(await decode(await mp3File([left, silent], 44_100, 128)), 440, 1, 0.177);
  const both = new Float32Array(left.length * 2);
  left.forEach((sample, i) => {
    both[i * 2] = sample;
  });
  assertTone(await decode(wavFile(pcm16(both), { channels: 2, sampleRate: 44_100 })), 440, 1, 0.177);
});

test('rates up to the limit stay, higher ones are converted down to it', async () => {
  const wide = createSoundDecoder({ maxSampleRate: 48_000 });
  const clip = await wide.decode(wavFile(pcm16(sine(440, 44_100, 1)), { sampleRate: 44_100 }), limits);
  assert.equal(clip.sampleRate, 44_100);
  assert.equal(clip.samples.length, 44_100);
  await wide.close();
  for (const sampleRate of [4_000, 6_000, 8_000, 11_025, 37_123, 192_000]) {
    const converted = await decode(wavFile(pcm16(sine(440, sampleRate, 1)), { sampleRate }));
    assert.equal(converted.sampleRate, Math.min(8_000, sampleRate));
    assert.equal(converted.samples.length, converted.sampleRate);
    assertTone(converted, 440, 1);
  }
});

test('tags before and after, and junk before and within, are skipped', async () => {
  const tag = Buffer.from('ID3\x04\x00\x00\x00\x00\x02\x00', 'latin1');
  const tagged = Buffer.concat([tag, Buffer.alloc(256, 0xff), short, Buffer.from('TAG'), Buffer.alloc(125)]);
  assertTone(await decode(tagged), 440, 1);
  assertTone(await decode(Buffer.concat([Buffer.alloc(5_000, 0xff), short])), 440, 1);
  const lying = Buffer.from('ID3\x03\x00\x00\x7f\x7f\x7f\x7f', 'latin1');
  assertTone(await decode(Buffer.concat([lying, short])), 440, 1);
  const twice = await decode(Buffer.concat([short, Buffer.from('<html>\xff\xfb not'), short]));
  assert.ok(Math.abs(secondsOf(twice) - 2) < 0.3, `${secondsOf(twice)} s`);
});

test('a file whose rate changes plays on at the right speed', async () => {
  const other = await mp3File([sine(440, 22_050, 1)], 22_050);
  const { sampleRate, samples } = await decode(Buffer.concat([short, other]));
  // The encoder adds some silence at both ends of each file.
  for (const second of [0, 1]) {
    const part = samples.subarray((second + 0.15) * sampleRate, (second + 0.95) * sampleRate);
    assertTone({ sampleRate, samples: part }, 440, 0.8);
  }
});

test('the complete frames of a truncated MP3 are played', async () => {
  const half = await decode(short.subarray(0, short.length >> 1));
  assert.ok(Math.abs(secondsOf(half) - 0.5) < 0.15, `${secondsOf(half)} s`);
});

test('a file that is neither MP3 nor WAV is refused by its bytes', async () => {
  for (const text of ['', '<html>404</html>', 'OggS\0\x02', 'ID3\x03\0\0\0\0\0\0', '{}']) {
    await assert.rejects(decode(Buffer.from(text, 'latin1')), { code: 'unknown-format' }, text);
  }
  await assert.rejects(decode(riff(chunk('data', new Uint8Array(2)))), { code: 'broken-file' });
});

test('a file that unpacks to more than the limit is refused at the limit', async () => {
  const eight = await mp3File([new Float32Array(8_000 * 20)], 8_000, 32);
  await assert.rejects(decoder.decode(eight, { seconds: 5 }), { code: 'too-long', message: /5 seconds/ });
  const wav = wavFile(new Uint8Array(8_000 * 6), { bits: 8 });
  await assert.rejects(decoder.decode(wav, { seconds: 5 }), { code: 'too-long' });
  assert.equal(secondsOf(await decoder.decode(wav, { seconds: 6 })), 6);
});

test('damaged MP3 is played or refused; the process lives on', async () => {
  const damage = fc.array(fc.tuple(fc.nat(short.length - 1), fc.nat(255)), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(short.length), async (changes, length) => {
      const file = short.slice(0, length);
      for (const [at, value] of changes) if (at < length) file[at] = value;
      try {
        assert.ok((await decode(file)).samples.length > 0);
      } catch (error) {
        assert.match((error as { code: string }).code, /^(unknown-format|broken-file)$/);
        assert.doesNotMatch((error as Error).message, /took too long|made the decoder fail/);
      }
    }),
    { numRuns: 60 },
  );
  assertTone(await decode(short), 440, 1);
});

test('frames with valid headers and random content are played or refused', async () => {
  let seed = 1;
  const noise = short.map((byte, at) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The frames of this file have 208 or 209 bytes: headers stay, because the rest varies.
    return byte === 0xff || short[at - 1] === 0xff || short[at - 2] === 0xff ? byte : seed >> 16;
  });
  const heard = await decode(noise).catch((error: { code: string }) => error.code);
  if (typeof heard === 'string') assert.equal(heard, 'broken-file');
});

test('a short file need not wait for the end of a long one', async () => {
  const long = await mp3File([new Float32Array(44_100 * 50)], 44_100, 128);
  const order: string[] = [];
  await Promise.all([
    decode(long).then(() => order.push('long')),
    decode(short).then(() => order.push('short')),
  ]);
  assert.deepEqual(order, ['short', 'long']);
});

test('waiting files beyond the limits of files and bytes are refused', async () => {
  const narrow = createSoundDecoder({ maxActive: 1, maxWaiting: 1, maxWaitingBytes: 100_000 });
  const first = narrow.decode(short, limits);
  const second = narrow.decode(short, limits);
  await assert.rejects(narrow.decode(short, limits), { code: 'too-many-requests' });
  await Promise.all([first, second]);
  await assert.rejects(narrow.decode(new Uint8Array(100_001), limits), { code: 'too-many-requests' });
  assert.deepEqual(narrow.census(), { active: 0, waiting: 0, processes: 1 });
  await narrow.close();
});

test('a file that hangs or ends the process is rejected; the others are restarted', async () => {
  const program = new URL('./testing/fragile-child.ts', import.meta.url);
  const watched = createSoundDecoder({ stallMs: 300, program });
  const decodeText = (what: string) => watched.decode(Buffer.from(what), limits);
  const [good, hanging, later] = [decodeText('good'), decodeText('hang'), decodeText('later')];
  await assert.rejects(hanging, { code: 'broken-file', message: /took too long/ });
  assert.equal((await good).samples.length, 4);
  assert.equal((await later).samples.length, 5, 'begun again in a new process');
  const [dying, behind] = [decodeText('die'), decodeText('behind')];
  await assert.rejects(dying, { code: 'broken-file', message: /made the decoder fail/ });
  assert.equal((await behind).samples.length, 6);
  // Whether the second process lives depends on which of them was first.
  const { active, waiting } = watched.census();
  assert.deepEqual([active, waiting], [0, 0]);
  await watched.close();
});

test('a process that starts slowly fails no file, and a silent process fails its file in the end', async () => {
  const program = new URL('./testing/slow-child.ts', import.meta.url);
  const patient = createSoundDecoder({ stallMs: 100, maxAttempts: 1, program });
  assert.equal((await patient.decode(Buffer.from('good'), limits)).samples.length, 4);
  await patient.close();
  const impatient = createSoundDecoder({ startMs: 100, maxAttempts: 1, program });
  const late = impatient.decode(Buffer.from('late'), limits);
  await assert.rejects(late, { code: 'broken-file', message: /took too long/ });
  await impatient.close();
});

test('a file whose process another file always ends is rejected after maxAttempts', async () => {
  const program = new URL('./testing/fragile-child.ts', import.meta.url);
  const watched = createSoundDecoder({ program, maxAttempts: 2 });
  // A process without a reported turn names no file at fault, so all are.
  const silent = watched.decode(Buffer.from('quiet death'), limits);
  await assert.rejects(silent, { code: 'broken-file' });
  await watched.close();
});

test('close rejects running and later files, and leaves no process', async () => {
  const closing = createSoundDecoder({ maxActive: 1 });
  const asked = [closing.decode(short, limits), closing.decode(short, limits)];
  const refused = asked.map((one) => assert.rejects(one, { code: 'closed' }));
  await closing.close();
  await Promise.all(refused);
  await assert.rejects(closing.decode(short, limits), { code: 'closed' });
  assert.deepEqual(closing.census(), { active: 0, waiting: 0, processes: 0 });
});

const sox = (() => {
  try {
    execFileSync('sox', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test('files of another program are played', { skip: sox ? false : 'sox is not installed' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sound-decoder-'));
  try {
    const forms: readonly (readonly string[])[] = [
      ['-r', '44100', '-b', '16', '-c', '2'],
      ['-r', '48000', '-b', '24', '-c', '6'],
      ['-r', '11025', '-b', '8', '-e', 'unsigned-integer'],
      ['-r', '8000', '-e', 'a-law'],
      ['-r', '8000', '-e', 'u-law'],
      ['-r', '16000', '-b', '32', '-e', 'floating-point'],
    ];
    for (const form of forms) {
      const file = join(folder, 'tone.wav');
      execFileSync('sox', ['-n', ...form, file, 'synth', '1', 'sine', '440', 'vol', '0.5'], {
        stdio: 'ignore',
      });
      assertTone(await decode(readFileSync(file)), 440, 1);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
