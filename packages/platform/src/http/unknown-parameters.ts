import { nearestName } from '../kernel/nearest-name.ts';
import { type Problem, problem } from '../kernel/problem.ts';

/**
 * Names that clients of the hosted service send and that mean nothing here: the two of asynchronous answers, what its SDKs add of
 * their own, and settings of features that are not offered. None of them is a slip, even where it is close to one of our names.
 */
const ofHostedClients: ReadonlySet<string> = new Set([
  'app_id',
  'callback_method',
  'callback_url',
  'cx_bot',
  'is_conference_request',
  'is_voice_request',
  'log_incoming_messages',
  'message_method',
  'message_url',
  'transcription_method',
  'transcription_type',
  'transcription_url',
  'type',
  'url',
  'urls',
  'username',
]);

/** A name far longer than any of ours is not repeated in full. */
const shownLength = 60;
/** An answer does not grow with what a client sends. */
const mostWarnings = 20;

export interface UnknownParameters {
  /** The first slip of a name that the operation knows. */
  readonly refusal?: Problem;
  /** One sentence for each name that was ignored. */
  readonly warnings: readonly string[];
}

/** The refusal of, or the warnings about, members of a body that the operation does not know. */
export function unknownParameters(body: object, known: readonly string[]): UnknownParameters {
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  for (const name of unknown) {
    const meant = ofHostedClients.has(name) ? undefined : nearestName(name, known);
    if (meant === undefined) continue;
    const sentence = `${shown(name)} is not a parameter: did you mean ${meant}?`;
    return { refusal: { ...problem('unknown-parameter', sentence), parameter: name }, warnings: [] };
  }
  const told = unknown
    .slice(0, mostWarnings)
    .map((name) => `${shown(name)} is not a parameter and was ignored`);
  const rest = unknown.length - told.length;
  return { warnings: rest > 0 ? [...told, `${rest} more parameters were ignored`] : told };
}

/** Without what would break a sentence, or a terminal. */
function shown(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  const letters = Array.from(plain);
  return letters.length > shownLength ? `${letters.slice(0, shownLength).join('')}…` : plain;
}
