import { availableParallelism } from 'node:os';
import { escapedText, type SoundClip, type Speech, type SpeechRequest } from '@jackfield/ports';
import { createClipCache } from './clip-cache.ts';
import { createEspeakProcess } from './espeak-process.ts';
import { sentencesOf } from './sentences.ts';
import { SpeechError } from './speech-error.ts';

export interface EspeakOptions {
  /** Characters of one text. */
  readonly maxTextLength?: number;
  /** Limit for one text, from its turn on; the first also includes the start of the engine (0.3 s on an idle core). */
  readonly timeoutMs?: number;
  /** Texts that wait for one process of the engine. */
  readonly maxWaiting?: number;
  /** Processes, each for one text at a time; a second one starts with the first text that would wait. At most 4, and the cores of the machine. */
  readonly processes?: number;
  /** Bytes of samples kept; a spoken second has 44,100. */
  readonly maxCacheBytes?: number;
}

export interface EspeakSpeech extends Speech {
  /** As defined by `SpeechLanguages` of the port. */
  languages(): Promise<readonly string[]>;
  /** The engine's process while one runs, for the census of processes. */
  readonly enginePid: number | undefined;
  /** Kills the engine; pending texts are rejected. */
  close(): void;
}

/** Speech by espeak-ng in a process of its own. */
export function createEspeakSpeech(options: EspeakOptions = {}): EspeakSpeech {
  const { maxTextLength = 3000, timeoutMs = 15_000, maxWaiting = 200, maxCacheBytes = 32 << 20 } = options;
  const { processes = Math.min(4, availableParallelism()) } = options;
  const engines = Array.from({ length: processes }, () => createEspeakProcess({ timeoutMs, maxWaiting }));
  /** The engine with the least work; of equals the first. */
  const idlest = () => engines.reduce((best, each) => (each.pending < best.pending ? each : best));
  const cache = createClipCache(maxCacheBytes);

  const say = async ({ text, language, voice = 'woman' }: SpeechRequest): Promise<SoundClip> => {
    const outcome = await idlest().order({ text, language, voice });
    if (!outcome.said) {
      throw new SpeechError(outcome.problem, `'${language.slice(0, 40)}' is not a language of espeak-ng`);
    }
    return { sampleRate: outcome.sampleRate, samples: outcome.samples };
  };

  const speak = async (request: SpeechRequest): Promise<SoundClip> => {
    if (request.text.length > maxTextLength) {
      throw new SpeechError('text-too-long', `a text has at most ${maxTextLength} characters`);
    }
    const text = request.markup === undefined ? plainText(request.text) : unbracketed(request.markup);
    if (text === '') throw new SpeechError('text-empty', 'there is nothing to say');
    const { language, voice = 'woman' } = request;
    const key = JSON.stringify([voice, language.toLowerCase(), text]);
    return cache.get(key, () => say({ text, language, voice }));
  };

  return {
    concurrent: { atOnce: Math.max(2, processes), perGroup: 1 },
    get enginePid() {
      return engines.find(({ pid }) => pid !== undefined)?.pid;
    },
    speak,
    stream(request) {
      const sentences = request.markup === undefined ? sentencesOf(request.text) : [];
      if (sentences.length < 2 || request.text.length > maxTextLength) return undefined;
      return (async function* () {
        for (const text of sentences) yield await speak({ ...request, text });
      })();
    },
    async languages() {
      const { languages } = await idlest().order({ list: 'languages' });
      return [...new Set(languages.map(canonicalTag))].sort();
    },
    close() {
      for (const engine of engines) engine.close();
    },
  };
}

/** `en-us` is written `en-US`; a tag unknown to BCP 47 stays as the engine has it. */
function canonicalTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    return tag;
  }
}

/** The engine would interpret markup and `[[phonemes]]`, and stop at a NUL: all of it becomes text, white space one blank. */
function plainText(text: string): string {
  return unbracketed(escapedText(text));
}

/** Markup is followed; `[[phonemes]]` and control characters are not. */
function unbracketed(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .replace(/\[(?=\[)/g, '[ ');
}
