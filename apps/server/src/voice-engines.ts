import { type Entry, entryOf, readDocument, shown } from '@jackfield/platform/operator-entry';
import type { Speech } from '@jackfield/ports';
import { readOperatorFile, refuseFile } from './operator-file.ts';

const variable = 'JACKFIELD_VOICES';
const embeddedName = 'embedded';

/** One engine of the file: docs/guides/speech-engines.md. */
interface VoiceEngine {
  readonly url: string;
  readonly key?: string;
  readonly model?: string;
  readonly voices?: { readonly woman: string; readonly man: string };
  readonly sampleRate?: number;
}

interface VoiceFile {
  readonly engines: ReadonlyMap<string, VoiceEngine>;
  readonly usual?: string;
  readonly accounts: ReadonlyMap<string, string>;
}

/** Reads JACKFIELD_VOICES; throws a StartFailure with a sentence for each mistake. */
export async function openVoiceEngines(path: string, embedded: Speech): Promise<Speech> {
  const problems: string[] = [];
  const text = readOperatorFile(variable, path);
  const file = readVoices(text, problems);
  if (problems.length > 0) return refuseFile(variable, path, text, problems);
  const { createChosenSpeech, createHttpVoice, createWebSocketVoice } = await import(
    '@jackfield/adapters/voice-engines'
  );
  const speechOf = (engine: VoiceEngine) =>
    /^ws/i.test(engine.url) ? createWebSocketVoice(engine) : createHttpVoice(engine);
  const engines = new Map([...file.engines].map(([name, engine]) => [name, speechOf(engine)]));
  const { usual, accounts } = file;
  return createChosenSpeech({ embedded, engines, accounts, ...(usual === undefined ? {} : { usual }) });
}

/** No operator has more. */
const mostEngines = 100;
const mostAccounts = 100_000;

const accountShape = /^[MS]A[A-Z0-9]{18}$/;
const nameShape = /^[^\p{Cc}]{1,200}$/u;

/** Reads the JSON of the file, and adds a sentence for each mistake to `problems`. */
export function readVoices(text: string, problems: string[]): VoiceFile {
  const document = readDocument(text, 'the list of engines', problems);
  const root =
    document === undefined ? undefined : entryOf(document, '', ['engines', 'default', 'accounts'], problems);
  if (root === undefined) return { engines: new Map(), accounts: new Map() };
  if (!root.has('engines')) root.wrong('engines', 'must be an object of engines by name, not nothing');
  const engines = readEngines(root);
  const choices = [...engines.keys(), embeddedName].map((name) => `"${name}"`).join(' or ');
  const chosen = (entry: Entry, name: string): string | undefined => {
    const engine = entry.value(name);
    if (typeof engine === 'string' && (engine === embeddedName || engines.has(engine))) return engine;
    entry.wrong(
      name,
      `must be ${choices}, an engine of this file or that of the platform, not ${shown(engine)}`,
    );
    return undefined;
  };
  const usual = root.has('default') ? chosen(root, 'default') : undefined;
  const accounts = new Map<string, string>();
  for (const [account, entry] of membersOf(root, 'accounts', mostAccounts)) {
    if (!accountShape.test(account))
      entry.wrong(
        account.slice(0, 60),
        'must be called by an auth_id: MA or SA and 18 capital letters or digits',
      );
    const engine = chosen(entry, account);
    if (engine !== undefined) accounts.set(account, engine);
  }
  return { engines, accounts, ...(usual === undefined ? {} : { usual }) };
}

/** Each name of an object whose names are the operator's own, with the entry of that object. */
function membersOf(entry: Entry, name: string, most: number): readonly (readonly [string, Entry])[] {
  const value = entry.value(name);
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const found = entry.object(name, names);
  if (found === undefined) return [];
  if (names.length > most) entry.wrong(name, `must have at most ${most} members, not ${names.length}`);
  return names.slice(0, most).map((each) => [each, found] as const);
}

function readEngines(root: Entry): ReadonlyMap<string, VoiceEngine> {
  const engines = new Map<string, VoiceEngine>();
  for (const [name, all] of membersOf(root, 'engines', mostEngines)) {
    if (name === embeddedName) all.wrong(name, 'needs another name: this is the engine of the platform');
    const entry = all.object(name, ['url', 'key', 'model', 'voices', 'sample_rate']);
    if (entry !== undefined) engines.set(name, readEngine(entry));
  }
  return engines;
}

/** Of an entry with mistakes it is of no use. */
function readEngine(entry: Entry): VoiceEngine {
  const voices = entry.object('voices', ['woman', 'man']);
  const key = entry.has('key')
    ? entry.secret('key', /^[!-~]{1,500}$/, '1 to 500 visible ASCII characters')
    : undefined;
  const model = entry.has('model')
    ? entry.text('model', nameShape, 'a text of up to 200 characters')
    : undefined;
  const sampleRate = entry.optionalInteger('sample_rate', 8_000, 48_000);
  const voiceOf = (who: string) => voices?.text(who, nameShape, 'the name of a voice of the engine') ?? '';
  return {
    url: readUrl(entry),
    ...(key === undefined ? {} : { key }),
    ...(model === undefined ? {} : { model }),
    ...(voices === undefined ? {} : { voices: { woman: voiceOf('woman'), man: voiceOf('man') } }),
    ...(sampleRate === undefined ? {} : { sampleRate }),
  };
}

function readUrl(entry: Entry): string {
  const text = entry.value('url');
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  // It may have a password: no sentence shows it.
  if (url !== undefined && url.username !== '')
    entry.wrong('url', 'must have no user: the key has a member of its own');
  else if (url === undefined || !/^(https?|wss?):$/.test(url.protocol))
    entry.wrong(
      'url',
      `must be a URL that starts with https://, http://, wss:// or ws://, not ${shown(text)}`,
    );
  return String(text);
}
