import { nearestName } from '../kernel/nearest-name.ts';
import { type Problem, problem } from '../kernel/problem.ts';

/**
 * Names that clients of the hosted service send and that have no meaning here: both of asynchronous answers, additions of its SDKs,
 * and settings of features that are not offered. None of them is a misspelt name, even close to a name of the interface.
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

/** A longer name is shortened. */
const shownLength = 60;
/** Bounds the answer to a large request. */
const mostWarnings = 20;

export interface UnknownParameters {
  /** Of the first misspelt name. */
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
  const warnings = unknown
    .slice(0, mostWarnings)
    .map((name) => `${shown(name)} is not a parameter and was ignored`);
  const rest = unknown.length - warnings.length;
  return { warnings: rest > 0 ? [...warnings, `${rest} more parameters were ignored`] : warnings };
}

/** Without characters that would break a sentence or a terminal. */
function shown(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  const letters = Array.from(plain);
  return letters.length > shownLength ? `${letters.slice(0, shownLength).join('')}…` : plain;
}
