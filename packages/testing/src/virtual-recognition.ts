import type { RecognitionNotice, SpeechRecognition } from '@jackfield/ports';
import type { CapturedSound } from '@jackfield/testkit/for-customers';
import { frameSamples, UtteranceReader } from '@jackfield/testkit/phones';

const prefix = 'recognition-of-a-world-';

/** Recognises what phones of the world say: it reads the text from the audio that reaches the platform, as phones do. */
export function virtualRecognition({ send, onCaptured }: CapturedSound): SpeechRecognition {
  const running = new Map<string, UtteranceReader>();
  const listeners = new Set<(notice: RecognitionNotice) => void>();
  const notify = (notice: RecognitionNotice) => {
    for (const listener of listeners) listener(notice);
  };

  function end(recognition: string, reader: UtteranceReader): void {
    reader.finish();
    running.delete(recognition);
    notify({ type: 'recognition-over', recognition, problem: null });
  }

  onCaptured((message) => {
    const recognition = message.capture.slice(prefix.length);
    const reader = message.capture.startsWith(prefix) ? running.get(recognition) : undefined;
    if (reader === undefined) return;
    if (message.type === 'ended') return end(recognition, reader);
    const { samples } = message;
    for (let from = 0; from + frameSamples <= samples.length; from += frameSamples)
      reader.hear(samples.subarray(from, from + frameSamples));
  });

  return {
    start({ recognition, track }) {
      const report = (text: string, toMs: number) => {
        const result = { isFinal: true, text, confidence: 1, fromMs: 0, toMs };
        notify({ type: 'recognised', recognition, result });
      };
      running.set(recognition, new UtteranceReader(report));
      send({ do: 'capture', capture: prefix + recognition, tracks: [track] });
    },
    finish(recognition) {
      if (running.has(recognition)) send({ do: 'end-capture', capture: prefix + recognition });
    },
    cancel(recognition) {
      if (!running.has(recognition)) return;
      send({ do: 'end-capture', capture: prefix + recognition });
      running.delete(recognition);
      queueMicrotask(() => notify({ type: 'recognition-over', recognition, problem: null }));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
