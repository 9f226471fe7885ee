import type { SoundClip, SoundDecoder, Speech } from '@jackfield/ports';
import { createToneSpeech, spokenText } from '@jackfield/testkit/phones';

/** A file whose sound is its own URL, spoken: a phone of the world hears which file was played. */
export function fileNamed(url: string): Uint8Array {
  return new TextEncoder().encode(`${marker}${url}`);
}

const marker = 'sound of ';

const clipOf = (text: string): SoundClip => ({ sampleRate: 8000, samples: spokenText(text) });

/** Every text, and every file of `fileNamed`, as sound that phones of the world can read. */
export const virtualSounds: { readonly speech: Speech; readonly decoder: SoundDecoder } = {
  speech: createToneSpeech(),
  decoder: {
    async decode(file) {
      const text = new TextDecoder().decode(file);
      if (text.startsWith(marker)) return clipOf(text.slice(marker.length));
      throw Object.assign(new Error('not a file of this world'), { code: 'broken-file' });
    },
  },
};
