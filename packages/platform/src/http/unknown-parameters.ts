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

/** The part of a schema that names members: those of an object, or those of the objects in a list. */
interface KnownMembers {
  readonly properties?: Readonly<Record<string, KnownMembers>>;
  readonly items?: KnownMembers;
}

interface UnknownMember {
  readonly name: string;
  /** With the names of the objects around it, such as `per.voice.name`. */
  readonly path: string;
  readonly known: readonly string[];
}

/** The refusal of, or the warnings about, members of a body that the operation does not know, at every level. */
export function unknownParameters(body: object, schema: KnownMembers): UnknownParameters {
  const unknown = [...unknownMembers(body, schema, '')];
  for (const { name, path, known } of unknown) {
    const meant = ofHostedClients.has(name) ? undefined : nearestName(name, known);
    if (meant === undefined) continue;
    const sentence = `${shown(path)} is not a parameter: did you mean ${meant}?`;
    return { refusal: { ...problem('unknown-parameter', sentence), parameter: path }, warnings: [] };
  }
  // The objects of a list share their names.
  const paths = [...new Set(unknown.map(({ path }) => path))];
  const warnings = paths
    .slice(0, mostWarnings)
    .map((path) => `${shown(path)} is not a parameter and was ignored`);
  const rest = paths.length - warnings.length;
  return { warnings: rest > 0 ? [...warnings, `${rest} more parameters were ignored`] : warnings };
}

function* unknownMembers(
  value: unknown,
  { properties, items }: KnownMembers,
  around: string,
): Generator<UnknownMember> {
  if (Array.isArray(value)) {
    if (items !== undefined) for (const each of value) yield* unknownMembers(each, items, around);
    return;
  }
  if (properties === undefined || typeof value !== 'object' || value === null) return;
  const known = Object.keys(properties);
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) yield { name, path: `${around}${name}`, known };
    else yield* unknownMembers(member, schema, `${around}${name}.`);
  }
}

/** Without characters that would break a sentence or a terminal. */
function shown(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  const letters = Array.from(plain);
  return letters.length > shownLength ? `${letters.slice(0, shownLength).join('')}…` : plain;
}
