import { writeFile } from 'node:fs/promises';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { resample, wavHeader } from '@jackfield/media';

const rate = 8000;
/** Seconds: a starved server listens before the first; a test that missed them hears the next ones. */
const beginnings = [3, 13, 23, 33, 43, 53];
const lengthSeconds = 61;

/** A file in which a man says digits after 3 s, and again every 10 s. */
export async function writeWords(path: string, text = 'one two three'): Promise<void> {
  const speech = createEspeakSpeech();
  try {
    const { samples, sampleRate } = await speech.speak({ text, language: 'en-US', voice: 'man' });
    const words = resample(samples, sampleRate, rate);
    const audio = new Int16Array(lengthSeconds * rate);
    for (const second of beginnings) audio.set(words, second * rate);
    const header = wavHeader({ sampleRate: rate, channels: 1 }, audio.byteLength);
    await writeFile(path, Buffer.concat([header, Buffer.from(audio.buffer)]));
  } finally {
    await speech.close();
  }
}
