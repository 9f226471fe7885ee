import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RecognitionProblem, SpeechEngine } from '@jackfield/ports';
import { eachDatabase, syntheticVoice } from '@jackfield/testkit';
import { openRecordingsWorld, type RecordingsWorld } from '../testing/recordings-world.ts';

const callback = { url: 'https://customer.example.com/text', method: 'POST' } as const;
const request = { language: 'en-US', redactsDigits: false, callback };

/** An engine that understands the length of each utterance. `fail` is asked before each one. */
function engineOf(fail: (utterance: number) => RecognitionProblem | 'never' | null = () => null) {
  const seen = { open: 0, most: 0, utterances: 0, samples: 0 };
  const engine: SpeechEngine = {
    open(_request, report) {
      let samples = 0;
      seen.most = Math.max(seen.most, ++seen.open);
      let isFree = false;
      return {
        write(piece) {
          samples += piece.length;
        },
        finish() {
          const problem = fail(seen.utterances++);
          seen.samples = Math.max(seen.samples, samples);
          if (problem === 'never') return;
          setTimeout(() => {
            if (problem === null)
              report.result({
                isFinal: true,
                text: `said for ${Math.round(samples / 16_000)} s`,
                confidence: 0.5,
                fromMs: 100,
                toMs: 1e9,
              });
            report.over(problem);
          });
        },
        cancel() {
          if (!isFree) seen.open--;
          isFree = true;
        },
      };
    },
    close() {},
  };
  return { engine, seen };
}

/** Time passes until it is so; the limit of the runner ends it otherwise. */
async function eventually(
  { world }: RecordingsWorld,
  isSo: () => boolean | Promise<boolean>,
  step = 500,
): Promise<void> {
  while (!(await isSo())) {
    await world.advance(step);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A voice on the left and silence on the right, or the other way round. */
function stereo(voice: Int16Array, channel: 0 | 1): Int16Array {
  const both = new Int16Array(2 * voice.length);
  for (const [at, sample] of voice.entries()) both[2 * at + channel] = sample;
  return both;
}

const tracks = [
  { said: ['leg'], heard: [] },
  { said: [], heard: ['leg'] },
];
const wordsOf = async (world: RecordingsWorld) =>
  (await world.events()).filter(({ type }) => type === 'recording.words');
const endsOf = async (world: RecordingsWorld) =>
  (await world.events()).filter(({ type }) => type.startsWith('recording.transcript-'));
const isOver = (world: RecordingsWorld) => async () => (await endsOf(world)).length > 0;
const transcriptsIn = ({ world }: RecordingsWorld) => world.node.platform.census().recordings?.transcripts;
const transcriptOf = (world: RecordingsWorld, recording: string) =>
  world.call('GET', `Recording/${recording}/Transcript/`);

eachDatabase('Transcripts of recordings', (open) => {
  for (const format of ['wav', 'mp3'] as const) {
    test(`a ${format} recording reports its words by speaker while it runs, and the whole text at its end`, async () => {
      const world = await openRecordingsWorld(open, engineOf());
      const recording = await world.record({ format, tracks, transcript: request });
      world.hear(recording, stereo(syntheticVoice(1_700, 2_000), 0), 2);
      await eventually(world, async () => (await wordsOf(world)).length === 1);
      assert.equal((await transcriptOf(world, recording)).body.status, 'in-progress');
      world.hear(recording, stereo(syntheticVoice(3_900, 2_000), 1), 2);
      await eventually(world, async () => (await wordsOf(world)).length === 2);
      await world.stop(recording);
      await eventually(world, isOver(world));
      const { status, body } = await transcriptOf(world, recording);
      assert.equal(status, 200);
      assert.deepEqual(
        body.words.map(({ track, channel, text, confidence }: Record<string, unknown>) => [
          track,
          channel,
          text,
          confidence,
        ]),
        [
          ['inbound', 1, 'said for 2 s', 0.5],
          ['outbound', 2, 'said for 5 s', 0.5],
        ],
      );
      assert.ok(body.words[0].from_ms < 500 && body.words[0].to_ms < body.words[1].from_ms);
      assert.equal(body.status, 'completed');
      const end = (await endsOf(world)).at(-1)!;
      assert.equal(end.type, 'recording.transcript-completed');
      await world.world.advance(1_000);
      const { requests } = world.world.customer;
      const [received, ...others] = requests.filter(({ url }) => url === callback.url);
      assert.deepEqual([received?.method, others], [callback.method, []]);
      assert.equal(received?.fields['transcription'], 'said for 2 s said for 5 s');
      assert.equal(end.data['transcription'], 'said for 2 s said for 5 s');
      assert.match(String(end.data['TranscriptURL']), new RegExp(`/Recording/${recording}/Transcript/$`));
    });
  }

  test('a recording of minutes is transcribed whole, in utterances of half a minute at most', async () => {
    const { engine, seen } = engineOf();
    const world = await openRecordingsWorld(open, { engine });
    const recording = await world.record({ transcript: request });
    for (let n = 0; n < 10; n++) world.hear(recording, syntheticVoice(9_000, 1_000));
    world.hear(recording, syntheticVoice(70_000, 1_000));
    await world.stop(recording);
    await eventually(world, isOver(world));
    const { body } = await transcriptOf(world, recording);
    assert.ok(body.total_count >= 12, `${body.total_count} utterances`);
    assert.ok(body.words.at(-1).to_ms > 168_000, `${body.words.at(-1).to_ms} ms`);
    assert.ok(seen.samples <= 31 * 16_000 && seen.open === 0);
  });

  test('recordings take turns, two at a time', async () => {
    const { engine, seen } = engineOf();
    const world = await openRecordingsWorld(open, { engine });
    const all = await Promise.all([1, 2, 3, 4].map(() => world.record({ transcript: request })));
    for (const recording of all) world.hear(recording, syntheticVoice(2_000, 1_000));
    for (const recording of all) await world.stop(recording);
    await eventually(world, async () => (await endsOf(world)).length === 4);
    assert.ok(seen.most <= 2);
    await eventually(world, () => transcriptsIn(world) === 0);
  });

  test('digits are masked before a word is written or sent', async () => {
    const world = await openRecordingsWorld(open, engineOf());
    const recording = await world.record({ transcript: { ...request, redactsDigits: true } });
    world.hear(recording, syntheticVoice(2_000, 1_000));
    await world.stop(recording);
    await eventually(world, isOver(world));
    assert.equal((await transcriptOf(world, recording)).body.words[0].text, 'said for # s');
    assert.doesNotMatch(JSON.stringify(await world.events()), /said for \d/);
  });

  test('a transcript is deleted with its recording', async () => {
    const world = await openRecordingsWorld(open, engineOf());
    const recording = await world.record({ transcript: request });
    world.hear(recording, syntheticVoice(2_000, 1_000));
    await world.stop(recording);
    await eventually(world, isOver(world));
    assert.equal((await world.call('DELETE', `Recording/${recording}/`)).status, 204);
    assert.equal((await transcriptOf(world, recording)).status, 404);
    const left = await world.world.node.database.read
      .withTables<{ recording_words: { recording_id: string } }>()
      .selectFrom('recording_words')
      .select('recording_id')
      .execute();
    assert.deepEqual(left, []);
  });

  test('a recording without an order has no transcript', async () => {
    const world = await openRecordingsWorld(open, engineOf());
    const recording = await world.record();
    await world.stop(recording);
    assert.equal((await transcriptOf(world, recording)).status, 404);
    assert.equal(transcriptsIn(world), 0);
  });

  test('after a crash the rest is transcribed, and no word twice', async () => {
    const stuck = engineOf((utterance) => (utterance < 1 ? null : 'never'));
    const before = await openRecordingsWorld(open, stuck);
    const recording = await before.record({ transcript: request });
    before.hear(recording, syntheticVoice(2_000, 1_000));
    await eventually(before, async () => (await wordsOf(before)).length === 1);
    before.hear(recording, syntheticVoice(4_000, 1_000));
    await eventually(before, () => stuck.seen.utterances === 2);
    await before.crash(engineOf());
    await eventually(before, isOver(before));
    const { body } = await transcriptOf(before, recording);
    assert.deepEqual(
      body.words.map(({ text }: { text: string }) => text),
      ['said for 2 s', 'said for 5 s'],
    );
    assert.equal((await wordsOf(before)).length, 2);
  });

  test('an engine that is away is tried again; one without the language fails at once, with its event', async () => {
    let away = 2;
    const problem = { code: 'engine-unreachable', sentence: 'the speech engine cannot be reached' } as const;
    const world = await openRecordingsWorld(
      open,
      engineOf(() => (away-- > 0 ? problem : null)),
    );
    const recording = await world.record({ transcript: request });
    world.hear(recording, syntheticVoice(2_000, 1_000));
    await world.stop(recording);
    await eventually(world, isOver(world));
    assert.equal((await endsOf(world)).at(-1)!.type, 'recording.transcript-completed');

    const unknown = {
      code: 'unknown-language',
      sentence: 'the speech engine does not know the language',
    } as const;
    const other = await openRecordingsWorld(
      open,
      engineOf(() => unknown),
    );
    const failed = await other.record({ transcript: request });
    other.hear(failed, syntheticVoice(2_000, 1_000));
    await other.stop(failed);
    await eventually(other, isOver(other));
    const { body } = await transcriptOf(other, failed);
    assert.deepEqual([body.status, body.error_code], ['failed', 'unknown-language']);
    const [event] = await endsOf(other);
    assert.deepEqual(
      [event?.type, event?.data['ErrorCode']],
      ['recording.transcript-failed', 'unknown-language'],
    );
  });

  test('an engine that never answers is given up after its attempts, and the recording is there', async () => {
    const { engine, seen } = engineOf(() => 'never');
    const world = await openRecordingsWorld(open, { engine });
    const recording = await world.record({ transcript: request });
    world.hear(recording, syntheticVoice(2_000, 1_000));
    await world.stop(recording);
    await eventually(world, isOver(world), 60_000);
    assert.equal((await endsOf(world)).at(-1)!.data['ErrorCode'], 'engine-slow');
    assert.equal(seen.open, 0);
    assert.equal((await world.file(`${recording}.wav`)).status, 200);
  });

  test('an engine that always fails is given up with its code', async () => {
    for (const code of ['engine-unreachable', 'engine-failed'] as const) {
      const world = await openRecordingsWorld(
        open,
        engineOf(() => ({ code, sentence: 'the engine is away' })),
      );
      const recording = await world.record({ transcript: request });
      world.hear(recording, syntheticVoice(2_000, 1_000));
      await world.stop(recording);
      await eventually(world, isOver(world), 60_000);
      assert.equal((await endsOf(world)).at(-1)!.data['ErrorCode'], code);
    }
  });

  test('a recording without sound has no transcript to make: no-file', async () => {
    const world = await openRecordingsWorld(open, engineOf());
    const recording = await world.record({ transcript: request });
    rmSync(join(world.files.directory, `${recording}.wav`));
    await world.stop(recording);
    await eventually(world, isOver(world));
    assert.equal((await endsOf(world)).at(-1)!.data['ErrorCode'], 'no-file');
  });
});
