import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { greeting, sentences } from '@jackfield/platform';
import type { SoundClip } from '@jackfield/ports';
import { loadSandboxClips } from './sandbox-clips.ts';

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-clips-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** One start of a sandbox: what was spoken, and the clips that the media engine has. */
async function start(directory: string, sampleRate = 1000) {
  const spoken: string[] = [];
  const loaded = new Map<string, SoundClip>();
  await loadSandboxClips({
    directory,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    speech: {
      async speak({ text }) {
        spoken.push(text);
        return { sampleRate, samples: new Int16Array([text.length, -text.length]) };
      },
    },
    clips: {
      loadClip: async (name, clip) => void loaded.set(name, clip),
      growClip: async () => undefined,
      dropClip: (name) => void loaded.delete(name),
    },
  });
  // The clips are made side by side.
  return { spoken: spoken.toSorted(), loaded };
}

test('the clips of the sandbox are spoken at the first start, and read at the next ones', async (t) => {
  const directory = join(temporary(t), 'new');
  const first = await start(directory);
  assert.ok(first.spoken.length > 2);
  const second = await start(directory);
  assert.deepEqual(second.spoken, []);
  assert.deepEqual(second.loaded, first.loaded);
  assert.deepEqual([...second.loaded.keys()].sort(), ['sandbox-greeting', 'sandbox-talker']);
});

test('the sentences of the talking phone are one clip, with 0.7 s of silence after each', async (t) => {
  const { spoken, loaded } = await start(temporary(t));
  const { samples } = loaded.get('sandbox-talker')!;
  assert.deepEqual(spoken, [greeting, ...sentences].toSorted());
  assert.deepEqual([...loaded.get('sandbox-greeting')!.samples], [greeting.length, -greeting.length]);
  const [talk, next] = sentences.map(({ length }) => length);
  assert.deepEqual([...samples.subarray(0, 3)], [talk, -talk!, 0]);
  assert.deepEqual([...samples.subarray(701, 705)], [0, next, -next!, 0]);
  assert.equal(samples.length, 702 * sentences.length);
});

test('clips of a higher rate are kept at 16 kHz, so that starts need not convert them from there', async (t) => {
  const directory = temporary(t);
  const first = await start(directory, 22_050);
  const { sampleRate, samples } = first.loaded.get('sandbox-talker')!;
  assert.equal(sampleRate, 16_000);
  const seconds = (sentences.length * (2 + 0.7 * 22_050)) / 22_050;
  assert.ok(Math.abs(samples.length / 16_000 - seconds) < 0.001, `${samples.length}`);
  assert.deepEqual((await start(directory, 22_050)).loaded, first.loaded);
});

test('a clip that was cut off, or that another user could have written, is spoken again', async (t) => {
  const directory = temporary(t);
  const { spoken } = await start(directory);
  for (const name of readdirSync(directory)) writeFileSync(join(directory, name), 'cut');
  assert.deepEqual((await start(directory)).spoken, spoken);
  assert.deepEqual((await start(directory)).spoken, []);
  chmodSync(directory, 0o777);
  assert.deepEqual((await start(directory)).spoken, spoken);
});

test('a sandbox whose clips cannot be kept speaks them', async (t) => {
  const file = join(temporary(t), 'file');
  writeFileSync(file, '');
  assert.equal((await start(join(file, 'below'))).loaded.size, 2);
});
