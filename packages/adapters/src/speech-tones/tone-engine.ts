import { engineSampleRate, type SpeechEngine, type SpeechReport, type SpeechSession } from '@jackfield/ports';
import { frameSamples } from './tone-meter.ts';
import { UtteranceReader } from './utterance-reader.ts';

/** Recognises what `createToneSpeech` and phones of tests speak; any other sound has no words. */
export function createToneEngine(): SpeechEngine {
  const open = new Set<(problem: Parameters<SpeechReport['over']>[0]) => void>();
  return {
    open(_request, report) {
      const over = (problem: Parameters<SpeechReport['over']>[0]) => {
        if (open.delete(over)) report.over(problem);
      };
      open.add(over);
      return sessionOf(report, over, () => open.delete(over));
    },
    close() {
      for (const over of [...open]) over({ code: 'closed', sentence: 'The speech engine is closed.' });
    },
  };
}

/** The tones lie below 4 kHz, the band of telephones: every second sample has all of them. */
const step = engineSampleRate / 8000;

function sessionOf(report: SpeechReport, over: (problem: null) => void, leave: () => void): SpeechSession {
  const reader = new UtteranceReader((text, toMs) =>
    report.result({ isFinal: true, text, confidence: 1, fromMs: 0, toMs }),
  );
  const frame = new Int16Array(frameSamples);
  let filled = 0;
  let offset = 0;
  return {
    write(samples) {
      for (; offset < samples.length; offset += step) {
        frame[filled++] = samples[offset]!;
        if (filled < frameSamples) continue;
        reader.hear(frame);
        filled = 0;
      }
      offset -= samples.length;
    },
    finish() {
      reader.finish();
      // A session ends after the call that ends it has returned, as with every other engine.
      queueMicrotask(() => over(null));
    },
    cancel: leave,
  };
}
