import type { Speech } from '@jackfield/ports';
import { spokenText } from './spoken-text.ts';

/** Speaks every text as tones, which programs read back: for tests, where a recogniser would guess. */
export function createToneSpeech(): Speech {
  return {
    async speak({ text }) {
      return { sampleRate: 8000, samples: spokenText(text) };
    },
    engineOf: () => 'tones',
  };
}
