import type { SoundClip, SoundDecoder, Speech, SpeechRequest } from '@jackfield/ports';
import type { SimulatedMedia } from './simulated-media.ts';

const sampleRate = 8000;
const amplitude = 8000;

/** The tone that represents speech, and its duration per character. */
export const speechHz = 620;
export const msPerCharacter = 40;

/** Speaks every text as a tone whose length is proportional to the text. */
export interface SimulatedSpeech extends Speech {
  /** The text that this sound speaks; undefined for another sound. */
  requestOf(clip: SoundClip | undefined): SpeechRequest | undefined;
}

export function createSimulatedSpeech(): SimulatedSpeech {
  const requests = new WeakMap<SoundClip, SpeechRequest>();
  return {
    requestOf: (clip) => (clip === undefined ? undefined : requests.get(clip)),
    async speak(request) {
      const clip = tone(speechHz, request.text.length * msPerCharacter);
      requests.set(clip, request);
      return clip;
    },
  };
}

/** The speech that the media engine was ordered to play to a leg, in order. */
export function spokenTo(
  leg: string,
  { orders }: SimulatedMedia,
  speechIn: (clip: string) => SpeechRequest | undefined,
): readonly SpeechRequest[] {
  return orders.commands.flatMap((command) => {
    const isHeard = command.do === 'play' && command.sound.kind === 'clip' && command.to.includes(leg);
    return isHeard ? (speechIn(command.sound.name) ?? []) : [];
  });
}

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
