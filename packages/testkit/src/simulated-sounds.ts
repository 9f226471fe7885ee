import type { SoundClip, SoundDecoder, Speech } from '@jackfield/ports';

const sampleRate = 8000;
const amplitude = 8000;

/** The tone that stands for speech, and how long a character of it takes. */
export const speechHz = 620;
export const msPerCharacter = 40;

/** Says every text as a tone whose length tells how long the text is. */
export const simulatedSpeech: Speech = {
  speak: async ({ text }) => tone(speechHz, text.length * msPerCharacter),
};

/** Reads the files that `toneFile` writes; anything else is broken. */
export const simulatedDecoder: SoundDecoder = {
  async decode(file) {
    try {
      const { frequencyHz, durationMs } = JSON.parse(new TextDecoder().decode(file));
      return tone(frequencyHz, durationMs);
    } catch {
      throw Object.assign(new Error('not a sound file of this world'), { code: 'broken-file' });
    }
  },
};

function tone(frequencyHz: number, durationMs: number): SoundClip {
  const samples = new Int16Array(Math.round((durationMs * sampleRate) / 1000));
  for (let index = 0; index < samples.length; index++) {
    samples[index] = amplitude * Math.sin((2 * Math.PI * frequencyHz * index) / sampleRate);
  }
  return { sampleRate, samples };
}
