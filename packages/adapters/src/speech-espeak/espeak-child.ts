// The program of the engine's own process. espeak-ng is under the GPL: it is loaded nowhere else, and only plain data
// (protocol.ts) passes between this process and the platform.
import startEspeak from '@echogarden/espeak-ng-emscripten';
import { nestedVoices } from './nested-voices.ts';
import type { EngineOrder, EngineOutcome, SpeakOrder, SpeakOutcome } from './protocol.ts';

// Variants of espeak-ng's voices; the plain voice is male and flat.
const variants = { woman: '+f3', man: '+m3' } as const;

const { eSpeakNGWorker } = await startEspeak();
const engine = await new eSpeakNGWorker();
const sampleRate = engine.get_samplerate();
const voices = voicesByLanguage();

process.on('message', (order: EngineOrder) => process.send?.(outcomeOf(order)));
// The channel closes when the platform ends, also by kill -9.
process.on('disconnect', () => process.exit(0));

function outcomeOf(order: EngineOrder): EngineOutcome {
  return 'list' in order ? { languages: [...voices.keys()] } : speak(order);
}

function speak({ text, language, voice }: SpeakOrder): SpeakOutcome {
  const identifier = voiceFor(language);
  if (identifier === undefined || engine.set_voice(identifier + variants[voice], '', 0, 0, 0) !== 0) {
    return { said: false, problem: 'unknown-language' };
  }
  const pieces: Int16Array[] = [];
  const completed = nestedVoices(text, { language, voice }, (tag) => voiceFor(tag) !== undefined);
  engine.synthesize(completed, (audio) => {
    if (audio !== undefined && audio.length > 0) pieces.push(audio);
  });
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  return { said: true, sampleRate, samples };
}

/** The voice of a language; that of the language without its region where the region is unknown. */
function voiceFor(language: string): string | undefined {
  const tag = language.toLowerCase();
  return voices.get(tag) ?? voices.get(tag.split('-')[0] as string);
}

/**
 * A voice lists its languages by preference (`fr-fr`, then `fr`). The first voice that lists a language keeps it, unless another voice is
 * named after it: `gmw/en` is plain English, although the Caribbean voice is listed before it.
 */
function voicesByLanguage(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { identifier, languages } of engine.list_voices()) {
    const name = identifier.split('/').at(-1)?.toLowerCase() ?? '';
    if (languages.some((language) => language.name.toLowerCase() === name)) found.set(name, identifier);
  }
  for (const rank of [0, 1, 2]) {
    for (const { identifier, languages } of engine.list_voices()) {
      const name = languages[rank]?.name.toLowerCase();
      if (name !== undefined && !found.has(name)) found.set(name, identifier);
    }
  }
  return found;
}
