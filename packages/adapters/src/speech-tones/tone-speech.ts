import type { Speech } from '@jackfield/ports';
import { spokenText } from './spoken-text.ts';

/** Speaks every text as tones, for tests: programs read tones back exactly, while a recogniser of speech guesses. */
export function createToneSpeech(): Speech {
  return {
    async speak({ text }) {
      return { sampleRate: 8000, samples: spokenText(text) };
    },
    engineOf: () => 'tones',
  };
}
