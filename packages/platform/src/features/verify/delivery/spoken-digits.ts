import type { PlayItem } from '../../sounds/index.ts';
import { spokenLanguage } from '../domain/words.ts';

/** One item for each digit: separate digits are easier to understand, and no engine or cache ever holds a whole code. */
export function spokenDigits(locale: string, code: string): readonly PlayItem[] {
  const language = spokenLanguage(locale);
  return [...code].flatMap<PlayItem>((text) => [
    { kind: 'speech', text, language, voice: 'woman' },
    { kind: 'silence', durationMs: 250 },
  ]);
}
