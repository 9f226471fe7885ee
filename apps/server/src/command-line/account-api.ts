import { CommandFailure } from './command.ts';
import { followEvents, type ShownEvent } from './followed-events.ts';
import { plain } from './print.ts';
import type { ChosenProfile } from './profiles.ts';
import { isJsonObject } from './read-json-file.ts';

export type Json = Readonly<Record<string, unknown>>;

type Query = Readonly<Record<string, string | number | undefined>>;

/** The API of one account. Refusals become failures with the sentence and the code of the answer. */
export interface AccountApi {
  readonly profile: ChosenProfile;
  /** `path` is below the account: `Call/`. */
  request<Answer = Json>(method: string, path: string, body?: object, query?: Query): Promise<Answer>;
  /**
   * A POST that creates one object, repeated with its key while no answer comes: an object whose answer was lost is not created twice. Throws
   * `LostAnswer` where none has come after all attempts.
   */
  create<Answer = Json>(path: string, body: object, key: string): Promise<Answer>;
  /** A file, such as a recording. */
  download(path: string): Promise<Buffer>;
  /** Objects of a list, page by page, at most `most`. */
  list<Item = Json>(path: string, query: Query, most: number): Promise<readonly Item[]>;
  /** The events from now on, until `signal` ends them; goes on behind the last one where a connection ends. */
  follow(query: Query, signal: AbortSignal): AsyncGenerator<ShownEvent>;
}

const largestPage = 20;
const answerMs = 30_000;
const noContent = 204;
/** Statuses that another attempt does not change. */
const final: ReadonlySet<number> = new Set([400, 401, 403]);
/** An account that has sent too many requests waits for 5 s at most (docs/interface/requests.md#request-rate). */
const longestPauseSeconds = 5;
/** Between the attempts to create an object: a server that restarts is back within them. */
const pausesOfCreationMs = [1_000, 2_000, 4_000];

/** The server answered with a refusal. */
export class ApiRefusal extends CommandFailure {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Whether a request was carried out is not known. */
export class LostAnswer extends CommandFailure {}

export function createAccountApi(profile: ChosenProfile): AccountApi {
  const { url, authId, authToken, from } = profile;
  const base = new URL(`/v1/Account/${authId}/`, url);
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;

  async function send(method: string, path: string, options: RequestInit & { readonly query?: Query }) {
    refuseDotSegments(path);
    const { query = {}, headers, ...rest } = options;
    const target = new URL(path, base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    let answer: Response;
    try {
      answer = await fetch(target, {
        method,
        headers: { authorization, ...headers },
        redirect: 'manual',
        ...rest,
      });
    } catch (error) {
      if (options.signal?.aborted && (options.signal.reason as Error)?.name !== 'TimeoutError') throw error;
      throw new LostAnswer(`${url} of ${from} cannot be reached: ${reasonOf(error)}.`);
    }
    return unlessRedirected(answer, target, profile);
  }

  async function request<Answer>(
    method: string,
    path: string,
    body?: object,
    query: Query = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const attempt = () =>
      send(method, path, {
        query,
        signal: AbortSignal.timeout(answerMs),
        ...(body === undefined
          ? { headers }
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
      });
    let answer = await attempt();
    for (let pause = pauseOf(answer); pause !== undefined; pause = pauseOf(answer)) {
      await answer.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, pause));
      answer = await attempt();
    }
    const text = await answer.text().catch((error: unknown) => endedEarly(profile, error));
    // A proxy whose server is away, or a server that does not know the outcome.
    if (!answer.ok) {
      const sentence = refusalOf(answer.status, text, `${method} ${path}`, profile);
      throw answer.status < 502 ? new ApiRefusal(answer.status, sentence) : new LostAnswer(sentence);
    }
    if (answer.status === noContent) return {} as Answer;
    const found = readJson(text, url);
    // docs/interface/requests.md#identifiers: every answer has it.
    if (typeof found.api_id !== 'string') throw foreign(text, url);
    return found as Answer;
  }

  async function openEvents(query: Query, signal: AbortSignal) {
    const answer = await send('GET', 'Event/', { query, headers: { accept: 'text/event-stream' }, signal });
    if (!answer.ok || answer.body === null) throw await failureOf(answer, 'GET Event/', profile);
    return answer.body;
  }

  return {
    profile,
    request,
    create: (path, body, key) =>
      untilAnswered(() => request('POST', path, body, {}, { 'idempotency-key': key })),
    async download(path) {
      const answer = await send('GET', path, { signal: AbortSignal.timeout(answerMs) });
      if (!answer.ok) throw await failureOf(answer, `GET ${path}`, profile);
      return Buffer.from(await answer.arrayBuffer().catch((error: unknown) => endedEarly(profile, error)));
    },
    async list<Item>(path: string, query: Query, most: number) {
      const found: Item[] = [];
      while (found.length < most) {
        const limit = Math.min(largestPage, most - found.length);
        const page = await request<{ readonly objects: readonly Item[] }>('GET', path, undefined, {
          ...query,
          limit,
          offset: found.length,
        });
        found.push(...page.objects);
        if (page.objects.length < limit) break;
      }
      return found;
    },
    follow: (query, signal) =>
      followEvents((after) => openEvents({ ...query, after }, signal), query.after, signal, isFinal),
  };
}

/** A URL drops these segments and those before them (RFC 3986 §5.2.4): `Call/./` is the list of calls. */
function refuseDotSegments(path: string): void {
  const dots = path.split(/[/?]/).find((segment) => segment === '.' || segment === '..');
  if (dots !== undefined)
    throw new CommandFailure(`${path}: "${dots}" identifies no object: use an identifier that a list shows.`);
}

/** A redirect would make a GET of a POST, and lose the credentials on the way to another origin. */
async function unlessRedirected(answer: Response, from: URL, profile: ChosenProfile): Promise<Response> {
  const location = answer.headers.get('location');
  if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
  await answer.body?.cancel();
  const to = URL.canParse(location, from.href) ? new URL(location, from).href : plain(location);
  throw new CommandFailure(
    `${profile.url} of ${profile.from} redirects to ${to}: name the server by a URL that answers without a redirect.`,
  );
}

/** Repeats an attempt whose answer was lost. */
async function untilAnswered<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (const pause of pausesOfCreationMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return attempt();
}

/** How long the server asks to wait; undefined for an answer to the request itself, and for a ban, which lasts longer. */
function pauseOf({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return status === 429 && seconds <= longestPauseSeconds ? seconds * 1000 : undefined;
}

function endedEarly({ url, from }: ChosenProfile, error: unknown): never {
  throw new LostAnswer(`${url} of ${from} ended its answer early: ${reasonOf(error)}.`);
}

/** An account that is no longer accepted stays so. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiRefusal && final.has(error.status);
}

async function failureOf(answer: Response, request: string, profile: ChosenProfile): Promise<ApiRefusal> {
  const text = await answer.text().catch((error: unknown) => endedEarly(profile, error));
  return new ApiRefusal(answer.status, refusalOf(answer.status, text, request, profile));
}

function refusalOf(status: number, text: string, request: string, { from, url }: ChosenProfile): string {
  if (status === 401) return `${url} refuses the account and token of ${from}.`;
  // A proxy whose server is away answers with a page of its own.
  const { error, error_code: code } = status < 502 ? readJson(text, url) : readJsonOrNothing(text);
  if (typeof error !== 'string') return `${request}: ${url} answered with ${status}.`;
  return plain(`${error}${typeof code === 'string' ? ` (${code})` : ''}`);
}

/** Empty for a text that is no object. */
function readJsonOrNothing(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function readJson(text: string, url: string): Json {
  const value = readJsonOrNothing(text);
  if (Object.keys(value).length === 0) throw foreign(text, url);
  return value;
}

function foreign(text: string, url: string): CommandFailure {
  const begins = text === '' ? 'its answer is empty' : plain(text.slice(0, 80));
  return new CommandFailure(`${url} does not answer like a Jackfield server: ${begins}`);
}

/** May have texts of the server, such as those of its certificate. */
function reasonOf(error: unknown): string {
  return plain(messageOf(error));
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer in ${answerMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
