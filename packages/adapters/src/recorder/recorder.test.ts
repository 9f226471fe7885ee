import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordingFailure } from '@jackfield/ports';
import { createRecorder, type DiskRecorder, type RecorderOptions } from './recorder.ts';
import { createToneSource, type ToneSource } from './testing/tone-source.ts';
import { decodeMp3, decodeWav, levelOf } from './testing/tones.ts';

const hasSox = spawnSync('sox', ['--version']).status === 0;
const opened: { recorder: DiskRecorder; source: ToneSource; directory: string }[] = [];

async function open(options: Partial<RecorderOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-recorder-'));
  const source = createToneSource();
  const recorder = await createRecorder({ directory, media: source, ...options });
  const world = { recorder, source, directory, recording: randomUUID() };
  opened.push(world);
  return world;
}

afterEach(async () => {
  for (const { recorder, source, directory } of opened.splice(0)) {
    await recorder.close();
    source.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

const track = (leg: string) => ({ said: [leg], heard: [] });
const failureOf = (recorder: DiskRecorder) =>
  new Promise<RecordingFailure & { recording: string }>((resolve) => recorder.subscribe(resolve));

test('a WAV file has each track in its channel, at full length', async () => {
  const { recorder, source, directory, recording } = await open();
  await recorder.start({ recording, format: 'wav', tracks: [track('a'), track('b')] });
  source.say(recording, [400, 1000], 2500);
  const { durationMs, bytes } = await recorder.stop(recording);
  const path = join(directory, `${recording}.wav`);
  assert.deepEqual([durationMs, bytes], [2500, 44 + 2500 * 8 * 4]);
  const decoded = decodeWav(path);
  assert.deepEqual([decoded.sampleRate, decoded.durationMs], [8000, 2500]);
  assert.ok(levelOf(400, decoded, 0) > -11 && levelOf(1000, decoded, 1) > -11);
  assert.ok(levelOf(1000, decoded, 0) < -60 && levelOf(400, decoded, 1) < -60);
});

test('sox reads the recorded samples from a WAV file', {
  skip: hasSox ? false : 'sox is not installed',
}, async () => {
  const { recorder, source, directory, recording } = await open();
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  source.say(recording, [1000], 1500, 16_000);
  await recorder.stop(recording);
  const path = join(directory, `${recording}.wav`);
  const about = (option: string) => execFileSync('soxi', [option, path]).toString().trim();
  assert.deepEqual(
    [about('-r'), about('-c'), about('-s'), about('-e')],
    ['16000', '1', '24000', 'Signed Integer PCM'],
  );
  const { stderr } = spawnSync('sox', [path, '-n', 'stat'], { encoding: 'utf8' });
  const frequency = Number(/Rough\s+frequency:\s+(\d+)/.exec(stderr)?.[1]);
  assert.ok(Math.abs(frequency - 1000) < 10, stderr);
});

for (const [tracks, sampleRate] of [
  [1, 8000],
  [2, 8000],
  [1, 16_000],
  [2, 24_000],
  [2, 48_000],
] as const) {
  test(`an MP3 file of ${tracks} tracks at ${sampleRate} Hz plays each tone in its channel`, async () => {
    const { recorder, source, directory, recording } = await open();
    await recorder.start({ recording, format: 'mp3', tracks: ['a', 'b'].slice(0, tracks).map(track) });
    source.say(recording, [400, 1000].slice(0, tracks), 3000, sampleRate);
    const { durationMs, bytes } = await recorder.stop(recording);
    assert.equal(durationMs, 3000);
    const decoded = await decodeMp3(join(directory, `${recording}.mp3`));
    assert.deepEqual([decoded.sampleRate, decoded.tracks.length], [sampleRate, tracks]);
    // LAME begins with silence of its delay and ends with a frame of padding.
    assert.ok(decoded.durationMs >= 3000 && decoded.durationMs < 3300, String(decoded.durationMs));
    assert.ok(bytes < 60_000);
    assert.ok(levelOf(400, decoded, 0) > -11.5);
    if (tracks === 1) return;
    assert.ok(levelOf(1000, decoded, 1) > -11.5);
    assert.ok(levelOf(1000, decoded, 0) < -40 && levelOf(400, decoded, 1) < -40);
  });
}

for (const ms of [0, 20, 60]) {
  test(`an MP3 file of ${ms} ms can be played`, {
    skip: hasSox ? false : 'sox is not installed',
  }, async () => {
    const { recorder, source, directory, recording } = await open();
    await recorder.start({ recording, format: 'mp3', tracks: [track('a')] });
    if (ms > 0) source.say(recording, [400], ms);
    const { durationMs, bytes } = await recorder.stop(recording);
    const path = join(directory, `${recording}.mp3`);
    assert.deepEqual([durationMs, bytes], [ms, statSync(path).size]);
    assert.equal(spawnSync('sox', [path, '-n', 'stat']).status, 0);
    assert.ok((await decodeMp3(path)).durationMs > ms);
  });
}

test('concurrent files do not mix, and a reused encoder has no state of its last file', async () => {
  const { recorder, source, directory } = await open();
  for (let round = 0; round < 2; round++) {
    const recordings = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(
      recordings.map((recording) => recorder.start({ recording, format: 'mp3', tracks: [track('a')] })),
    );
    for (let second = 0; second < 3; second++) {
      for (const [index, recording] of recordings.entries()) source.say(recording, [300 + 100 * index], 500);
    }
    await Promise.all(recordings.map((recording) => recorder.stop(recording)));
    for (const [index, recording] of recordings.entries()) {
      const decoded = await decodeMp3(join(directory, `${recording}.mp3`));
      for (let other = 0; other < 10; other++) {
        const level = levelOf(300 + 100 * other, decoded, 0);
        assert.ok(other === index ? level > -12 : level < -40, `${index} ${other}: ${level}`);
      }
    }
  }
});

test('the file is open before the capture begins, and complete only after it has ended', async () => {
  const { recorder, source, directory, recording } = await open();
  const starting = recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  assert.deepEqual(source.commands, []);
  await starting;
  assert.deepEqual(readdirSync(directory), [`${recording}.wav`]);
  recorder.retrack(recording, [track('b')]);
  recorder.pause(recording);
  recorder.resume(recording);
  source.say(recording, [500], 100);
  await recorder.stop(recording);
  assert.deepEqual(source.commands, [
    { do: 'capture', capture: recording, tracks: [track('a')] },
    { do: 'capture', capture: recording, tracks: [track('b')] },
    { do: 'pause-capture', capture: recording, paused: true },
    { do: 'pause-capture', capture: recording, paused: false },
    { do: 'end-capture', capture: recording },
  ]);
  recorder.retrack(recording, []);
  assert.equal(source.commands.length, 5);
  await assert.rejects(recorder.stop(recording), /does not run/);
});

test('a stop during the opening of the file ends the capture after it has begun', async () => {
  const { recorder, source, recording } = await open();
  const starting = recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  const [, file] = await Promise.all([starting, recorder.stop(recording)]);
  assert.deepEqual(file, { durationMs: 0, bytes: 44 });
  assert.deepEqual(
    source.commands.map((command) => command.do),
    ['capture', 'end-capture'],
  );
});

test('the wait for the end of a capture is limited', async () => {
  const { recorder, source, directory, recording } = await open({ endOfCaptureMs: 50 });
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  source.say(recording, [500], 200);
  source.isDeaf = true;
  assert.equal((await recorder.stop(recording)).durationMs, 200);
  assert.equal(decodeWav(join(directory, `${recording}.wav`)).durationMs, 200);
});

test('a recording that cannot be opened is refused alone: too many, twice, no directory, a name that leads elsewhere', async () => {
  const { recorder, directory, source, recording } = await open({ limits: { openRecordings: 2 } });
  const order = (name: string) => ({ recording: name, format: 'wav' as const, tracks: [track('a')] });
  await recorder.start(order(recording));
  await assert.rejects(recorder.start(order(recording)), /runs already/);
  await assert.rejects(recorder.start(order('../../etc/passwd')), /not the name of a recording/);
  await assert.rejects(recorder.start({ ...order(randomUUID()), tracks: [] }), /0 tracks/);
  const tracks = ['a', 'b', 'c'].map(track);
  await assert.rejects(recorder.start({ recording: randomUUID(), format: 'mp3', tracks }), /3 tracks/);
  const second = randomUUID();
  writeFileSync(join(directory, `${second}.wav`), 'another file');
  await assert.rejects(recorder.start(order(second)), /a file with this name already exists/);
  await recorder.start(order(randomUUID()));
  await assert.rejects(recorder.start(order(randomUUID())), {
    code: 'too-many-recordings',
    message: '2 recordings are open, which is the limit',
  });
  source.say(recording, [500], 200);
  assert.equal((await recorder.stop(recording)).durationMs, 200);
  rmSync(directory, { recursive: true });
  await assert.rejects(recorder.start(order(randomUUID())), /directory of recordings does not exist/);
});

test('a file that is not opened in time fails alone; opened too late, it is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder, source, directory, recording } = await open({ diskMs: 300 });
  await recorder.start({ recording, format: 'mp3', tracks: [track('a')] });
  const late = randomUUID();
  const start = recorder.start({ recording: late, format: 'wav', tracks: [track('b')] });
  const stop = recorder.stop(late);
  // The thread has the order, and its answer comes in a later turn of the event loop.
  await new Promise(process.nextTick);
  t.mock.timers.tick(300);
  await assert.rejects(start, /did not open the file in time/);
  await assert.rejects(stop, /did not open the file in time/);
  while (!existsSync(join(directory, `${late}.wav`))) await nextTurn();
  while ((await recorder.stats())?.open !== 1) await nextTurn();
  source.say(recording, [400], 1000);
  assert.equal((await recorder.stop(recording)).durationMs, 1000);
});

test('a directory that may not be written to refuses recordings', {
  skip: process.getuid?.() === 0 ? 'root may write everywhere' : false,
}, async () => {
  const { recorder, directory, recording } = await open();
  chmodSync(directory, 0o500);
  await assert.rejects(
    recorder.start({ recording, format: 'wav', tracks: [track('a')] }),
    /may not be written/,
  );
  chmodSync(directory, 0o700);
});

test('a file that reaches its limit fails alone, keeps its content, and its capture ends', async () => {
  const { recorder, source, directory, recording } = await open({ limits: { bytesPerFile: 40_000 } });
  const other = randomUUID();
  const failure = failureOf(recorder);
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  await recorder.start({ recording: other, format: 'mp3', tracks: [track('a')] });
  source.say(recording, [500], 4000);
  source.say(other, [700], 2000);
  assert.deepEqual(await failure, {
    recording,
    code: 'file-too-large',
    sentence: 'the file would be larger than 40000 bytes',
  });
  assert.deepEqual(source.commands.at(-1), { do: 'end-capture', capture: recording });
  await assert.rejects(recorder.stop(recording), /does not run/);
  assert.equal((await recorder.stop(other)).durationMs, 2000);
  const decoded = decodeWav(join(directory, `${recording}.wav`));
  assert.ok(decoded.durationMs >= 1000 && decoded.durationMs <= 2500);
  const stats = await recorder.stats();
  assert.ok(stats !== undefined && stats.open === 0 && stats.droppedPortions > 50);
});

test('audio with another rate or number of tracks than at the start fails the recording', async () => {
  const { recorder, source, recording } = await open();
  const failure = failureOf(recorder);
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  source.say(recording, [500], 100);
  source.say(recording, [500, 600], 100);
  assert.match((await failure).sentence, /2 tracks at 8000 Hz came for 1/);
});

test('close completes open files', async () => {
  const { recorder, source, directory, recording } = await open();
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  source.say(recording, [500], 300);
  await recorder.close();
  assert.equal(decodeWav(join(directory, `${recording}.wav`)).durationMs, 300);
  await assert.rejects(recorder.start({ recording, format: 'wav', tracks: [track('a')] }), /closed/);
});

test('when the thread dies its recordings fail with playable files, and the next recording has a new thread', async () => {
  const { recorder, source, directory, recording } = await open();
  const failure = failureOf(recorder);
  await recorder.start({ recording, format: 'wav', tracks: [track('a')] });
  source.say(recording, [500], 3000);
  // The samples are written before the header counts them, and the thread may die in between.
  while (decodeWav(join(directory, `${recording}.wav`)).durationMs < 2000) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  source.confuse();
  assert.deepEqual(await failure, { recording, code: 'internal', sentence: 'the recorder thread died' });
  assert.ok(decodeWav(join(directory, `${recording}.wav`)).durationMs >= 2000);
  const next = randomUUID();
  await recorder.start({ recording: next, format: 'mp3', tracks: [track('a')] });
  assert.equal(source.ports, 2);
  source.say(next, [500], 1000);
  assert.equal((await recorder.stop(next)).durationMs, 1000);
});

/** Polls until the file has this many bytes. */
