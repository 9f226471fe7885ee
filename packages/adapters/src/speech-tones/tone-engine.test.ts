import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engineSampleRate, type RecognitionProblem } from '@jackfield/ports';
import { createToneEngine, spokenText } from './index.ts';

const request = { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: false };

/** Audio as the platform passes it to an engine: at the rate of engines, with each sample of the telephone twice. */
function atEngineRate(samples: Int16Array): Int16Array {
  const step = engineSampleRate / 8000;
  return Int16Array.from({ length: step * samples.length }, (_, index) => samples[Math.floor(index / step)]!);
}

function opened() {
  const engine = createToneEngine();
  const texts: string[] = [];
  const ends: (RecognitionProblem | null)[] = [];
  const session = engine.open(request, {
    result: ({ text, isFinal }) => void texts.push(isFinal ? text : `${text}…`),
    over: (problem) => void ends.push(problem),
  });
  return { engine, session, texts, ends };
}

describe('the engine of tones', () => {
  it('reports a text at its end, from pieces of any length', async () => {
    const { session, texts, ends } = opened();
    const sound = atEngineRate(spokenText('Two of them.'));
    for (let at = 0; at < sound.length; at += 333) session.write(sound.subarray(at, at + 333));
    assert.deepEqual([texts, ends], [['Two of them.'], []]);
    session.finish();
    await Promise.resolve();
    assert.deepEqual([texts, ends], [['Two of them.'], [null]]);
  });

  it('reports the last text at the end of the audio, and ignores other sounds', async () => {
    const { session, texts, ends } = opened();
    session.write(Int16Array.from({ length: 16_000 }, (_, index) => 9000 * Math.sin(index * index)));
    session.write(new Int16Array(16_000));
    session.write(atEngineRate(spokenText('Now or').subarray(0, 4 * 640)));
    assert.equal(texts.includes('Now'), false);
    session.finish();
    await Promise.resolve();
    assert.deepEqual([texts.at(-1), ends], ['Now', [null]]);
  });

  it('ends its sessions with their reason when it is closed, and does not report the end of a cancelled one', async () => {
    const { engine, session, ends } = opened();
    const other = opened();
    other.session.cancel();
    other.engine.close();
    engine.close();
    session.finish();
    await Promise.resolve();
    assert.deepEqual([ends.map((problem) => problem?.code), other.ends], [['closed'], []]);
  });
});
