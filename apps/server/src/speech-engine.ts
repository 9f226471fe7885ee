import type { SpeechEngine } from '@jackfield/ports';

/** The operator's speech engine: docs/guides/speech-recognition.md. */
export type SpeechEngineConfig = NamedSpeechEngine & {
  /** A bearer token. */
  readonly key?: string;
  /** All that the engine has when absent. */
  readonly languages?: readonly string[];
};

type NamedSpeechEngine =
  | { readonly kind: 'http' | 'websocket'; readonly url: string }
  | { readonly kind: 'process'; readonly command: readonly [string, ...string[]] };

const commandPrefix = 'command:';

/** Reads the value of JACKFIELD_SPEECH_ENGINE; arguments of a program are separated by blanks. */
export function asSpeechEngine(text: string): NamedSpeechEngine | undefined {
  if (text.startsWith(commandPrefix)) {
    const [program, ...rest] = text
      .slice(commandPrefix.length)
      .split(' ')
      .filter((each) => each !== '');
    return program === undefined ? undefined : { kind: 'process', command: [program, ...rest] };
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A request to a URL with a user is refused: the key has a variable of its own.
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return { kind: 'http', url: text };
    case 'ws:':
    case 'wss:':
      return { kind: 'websocket', url: text };
    default:
      return undefined;
  }
}

/** A value of JACKFIELD_SPEECH_ENGINE without what may be a secret: user, password and query of a URL, arguments of a program. */
export function shownSpeechEngine(text: string): string {
  if (text.startsWith(commandPrefix)) return text.replace(/^(command: *\S*).+$/s, '$1 […]');
  // A password may contain every character: all before the last @ is hidden.
  return text.replace(/^([a-z][a-z0-9+.-]*:)?(\/*).*@/is, '$1$2[hidden]@').replace(/[?#].*$/s, '?[hidden]');
}

export async function openSpeechEngine(config: SpeechEngineConfig): Promise<SpeechEngine> {
  const { createHttpSpeechEngine, createProcessSpeechEngine, createWebSocketSpeechEngine } = await import(
    '@jackfield/adapters/speech-recognition'
  );
  const { key } = config;
  const keyed = key === undefined ? {} : { key };
  switch (config.kind) {
    case 'http':
      return createHttpSpeechEngine({ url: config.url, ...keyed });
    case 'websocket':
      return createWebSocketSpeechEngine({ url: config.url, ...keyed });
    case 'process':
      return createProcessSpeechEngine({ command: config.command });
  }
}
