import type { SoundClip, SoundDecoder, Speech } from '@jackfield/ports';

const sampleRate = 8000;
const amplitude = 8000;

/** The tone that represents speech, and its duration per character. */
export const speechHz = 620;
export const msPerCharacter = 40;

/** Speaks every text as a tone whose length is proportional to the text. */
export const simulatedSpeech: Speech = {
  speak: async ({ text }) => tone(speechHz, text.length * msPerCharacter),
};

/** Decodes the files of `toneFile`; any other file is broken. */
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
