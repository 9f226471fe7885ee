import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  engineSampleRate,
  type RecognitionProblem,
  type SpeechEngine,
  type SpeechRequestOptions,
  type SpeechResult,
} from '@jackfield/ports';

/** How the other side of an engine behaves. */
export type EngineSide =
  /** Answers with `yes` for speech. */
  | 'understands'
  /** Cannot be reached. */
  | 'away'
  /** Gets everything and never answers. */
  | 'silent'
  /** Answers with a text that has no words in it, or fails. */
  | 'nonsense'
  /** Understands, and at once answers again. */
  | 'repeating'
  /** Answers with more than any limit. */
  | 'endless'
  /** Does not even read its audio, or is slower than speech. */
  | 'stalled';

/** One engine of the port, over another side that behaves in one way. */
export interface OpenSpeechEngine {
  /** Closed by the suite. */
  open(side: EngineSide): Promise<SpeechEngine>;
}

const request: SpeechRequestOptions = {
  language: 'en-US',
  hints: ['yes', 'no'],
  model: null,
  profanityFilter: false,
  interim: false,
};

/** The common behaviour of all engines of the speech recognition port. */
export function speechEngineContract({ open }: OpenSpeechEngine): void {
  test('speech gives final results within the audio, and one end', async () => {
    const { results, problem } = await recognised(await open('understands'));
    assert.equal(problem, null);
    assert.deepEqual(
      results.map(({ text, isFinal }) => [text, isFinal]),
      [['yes', true]],
    );
    for (const { fromMs, toMs, confidence } of results) {
      assert.ok(0 <= fromMs && fromMs <= toMs && toMs <= 3_000, `${fromMs} to ${toMs}`);
      assert.ok(confidence === null || (confidence >= 0 && confidence <= 1));
    }
  });

  for (const [side, code] of [
    ['away', 'engine-unreachable'],
    ['silent', 'engine-slow'],
    ['nonsense', 'engine-failed'],
    ['endless', 'engine-failed'],
  ] as const) {
    test(`an engine that is ${side} ends with ${code}`, async () => {
      const { results, problem } = await recognised(await open(side));
      assert.deepEqual(results, []);
      assert.equal(problem?.code, code);
    });
  }

  test('an engine that answers again has one end, and nothing follows it', async () => {
    const engine = await open('repeating');
    const reported: string[] = [];
    // The second session ends after all that the first one could still report.
    for (let session = 0; session < 2; session++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const opened = engine.open(request, {
        result: () => void reported.push(`result ${session}`),
        over() {
          reported.push(`over ${session}`);
          resolve();
        },
      });
      opened.write(speechOf(1_000));
      opened.finish();
      opened.finish();
      await promise;
    }
    engine.close();
    assert.deepEqual(
      reported.filter((each) => each.startsWith('over')),
      ['over 0', 'over 1'],
    );
    assert.equal(reported.lastIndexOf('result 0') < reported.indexOf('over 0'), true, reported.join());
  });

  test('audio that never ends, to an engine that falls behind, ends with engine-slow', async () => {
    const engine = await open('stalled');
    const { promise, resolve } = Promise.withResolvers<RecognitionProblem | null>();
    let isOver = false;
    const session = engine.open(request, {
      result() {},
      over(problem) {
        isOver = true;
        resolve(problem);
      },
    });
    // Five seconds of speech and a pause, for at most an hour.
    const [speech, pause] = [speechOf(5_000), speechOf(1_000, 0)];
    for (let written = 0; written < 600 && !isOver; written++) {
      session.write(speech);
      session.write(pause);
      // Lets the engine read and answer.
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await promise)?.code, 'engine-slow');
    engine.close();
  });

  test('a cancelled session reports nothing, and the close of the engine ends the others', async () => {
    const engine = await open('silent');
    const reported: string[] = [];
    const report = {
      result: () => void reported.push('result'),
      over: (problem: RecognitionProblem | null) => void reported.push(problem?.code ?? 'complete'),
    };
    const cancelled = engine.open(request, report);
    cancelled.write(speechOf(1_000));
    cancelled.cancel();
    engine.open(request, report).write(speechOf(1_000));
    engine.close();
    cancelled.finish();
    assert.deepEqual(reported, ['closed']);
  });
}

async function recognised(engine: SpeechEngine) {
  const results: SpeechResult[] = [];
  const { promise, resolve } = Promise.withResolvers<RecognitionProblem | null>();
  const session = engine.open(request, { result: (result) => void results.push(result), over: resolve });
  for (const samples of [speechOf(500, 0), speechOf(1_000), speechOf(1_000, 0)]) session.write(samples);
  session.finish();
  const problem = await promise.finally(() => engine.close());
  return { results, problem };
}

/** A sound that varies like a voice. */
function speechOf(ms: number, amplitude = 8_000): Int16Array {
  return Int16Array.from({ length: (engineSampleRate * ms) / 1000 }, (_, at) =>
    Math.round(amplitude * Math.sin(at / 7) * Math.sin(at / 900)),
  );
}
