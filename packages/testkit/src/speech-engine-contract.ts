import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  engineSampleRate,
  type RecognitionProblem,
  type SpeechEngine,
  type SpeechRequestOptions,
  type SpeechResult,
} from '@jackfield/ports';

/** One engine of the port, over another side that behaves in one way. */
export interface OpenSpeechEngine {
  /** `understands`: answers with `yes` for speech. Closed by the suite. */
  open(side: 'understands' | 'away' | 'silent' | 'nonsense'): Promise<SpeechEngine>;
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
  ] as const) {
    test(`an engine that is ${side} ends with ${code}`, async () => {
      const { results, problem } = await recognised(await open(side));
      assert.deepEqual(results, []);
      assert.equal(problem?.code, code);
    });
  }

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
