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

type Members = { readonly [name: string]: unknown };

/** Reads the JSON of the file, and adds a sentence for each mistake to `problems`. */
export function readVoices(text: string, problems: string[]): VoiceFile {
  const file = membersOf(parsed(text));
  if (file === undefined)
    problems.push('it must be a JSON object with the members engines, default and accounts');
  const { engines: all, default: usual, accounts: chosen } = file ?? {};
  const engines = new Map<string, VoiceEngine>();
  for (const [name, each] of Object.entries(membersOf(all) ?? {})) {
    const engine = readEngine(`engines.${name}`, membersOf(each), problems);
    if (name === embeddedName)
      problems.push('engines.embedded: choose another name, this is the engine of the platform');
    if (engine !== undefined) engines.set(name, engine);
  }
  if (file !== undefined && membersOf(all) === undefined)
    problems.push('engines must be an object of engines by name');
  const named = (where: string, name: unknown): string | undefined => {
    if (typeof name === 'string' && (name === embeddedName || engines.has(name))) return name;
    problems.push(`${where} must be the name of an engine of this file, or embedded`);
    return undefined;
  };
  const accounts = new Map<string, string>();
  for (const [account, name] of Object.entries(membersOf(chosen) ?? {})) {
    const engine = named(`accounts.${account}`, name);
    if (engine !== undefined) accounts.set(account, engine);
  }
  const common = usual === undefined ? undefined : named('default', usual);
  return { engines, accounts, ...(common === undefined ? {} : { usual: common }) };
}

function readEngine(where: string, engine: Members | undefined, problems: string[]): VoiceEngine | undefined {
  const before = problems.length;
  const { url, key, model, voices, sample_rate: sampleRate } = engine ?? {};
  if (typeof url !== 'string' || !URL.canParse(url) || !/^(https?|wss?):$/.test(new URL(url).protocol))
    problems.push(`${where}.url must be a URL that starts with https://, http://, wss:// or ws://`);
  else if (new URL(url).username !== '')
    problems.push(`${where}.url must have no user: the key has a member of its own`);
  if (key !== undefined && !(typeof key === 'string' && /^[!-~]{1,500}$/.test(key)))
    problems.push(`${where}.key must be 1 to 500 visible ASCII characters`);
  if (model !== undefined && typeof model !== 'string') problems.push(`${where}.model must be a text`);
  const { woman, man } = membersOf(voices) ?? {};
  if (voices !== undefined && !(typeof woman === 'string' && typeof man === 'string'))
    problems.push(`${where}.voices must have the members woman and man, names of voices of the engine`);
  if (
    sampleRate !== undefined &&
    !(Number.isInteger(sampleRate) && Number(sampleRate) >= 8_000 && Number(sampleRate) <= 48_000)
  )
    problems.push(`${where}.sample_rate must be a whole number from 8000 to 48000`);
  if (problems.length > before) return undefined;
  return {
    url: url as string,
    ...(key === undefined ? {} : { key: key as string }),
    ...(model === undefined ? {} : { model: model as string }),
    ...(voices === undefined ? {} : { voices: { woman: woman as string, man: man as string } }),
    ...(sampleRate === undefined ? {} : { sampleRate: sampleRate as number }),
  };
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
