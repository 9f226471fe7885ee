import type { Endpoint } from '@jackfield/contract';
import type { SearchResult } from '@jackfield/contract/console';
import type { Call, Phone, PhonePhase } from '@jackfield/voice-sdk';
import { ApiError, sentenceOf } from '../api/api-error.ts';
import { api, queryOf } from '../api/client.ts';
import { serverNow } from '../api/server-clock.ts';
import { session } from '../api/session.svelte.ts';
import { PageCall } from './page-call.svelte.ts';

/** Endpoints that pages of the console register as. */
const alias = 'console';
/** Results of one search: the API's most. */
const mostFound = 50;
const tokenSeconds = 3600;
/** The server calls at once: a call that comes later rings, because its reader may have turned to other things. */
const askedMs = 10_000;
const storageKey = 'jackfield-console-endpoint';

interface AddedParticipants {
  readonly calls: readonly { readonly call_uuid: string }[];
}

/** The phone of this tab. It rings on every screen while it is on, and logs in with tokens that the session fetches. */
class PagePhone {
  phase = $state<PhonePhase>('offline');
  username = $state('');
  calls = $state.raw<readonly PageCall[]>([]);
  problem = $state('');
  isStarting = $state(false);
  #phone: Phone | undefined;
  /** Calls that the reader has asked for and that have not come yet, with the timers that give them up. */
  readonly #asked = new Map<string, ReturnType<typeof setTimeout>>();
  /** Counts starts and stops: a start that was under way at a later one of them is given up. */
  #turn = 0;

  constructor() {
    session.onLeave(() => this.stop());
  }

  get isOn(): boolean {
    return this.phase === 'registered' || this.phase === 'reconnecting';
  }

  /** Registers as an endpoint of this tab, which is created where there is none that is free. */
  async start(): Promise<void> {
    if (this.isOn || this.isStarting) return;
    this.isStarting = true;
    this.problem = '';
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const username = await ownEndpoint();
      const { Phone } = await import('@jackfield/voice-sdk');
      if (turn !== this.#turn) return;
      this.username = username;
      this.#phone?.close();
      const phone = new Phone({
        url: `${location.origin.replace(/^http/, 'ws')}/sip`,
        token: () => fetchToken(username),
      });
      this.#phone = phone;
      phone.on('state', (phase) => {
        this.phase = phase;
      });
      phone.on('failed', (fault) => {
        this.problem = fault.message;
      });
      phone.on('incoming', (call) => this.#invited(call));
      await phone.register();
      if (turn === this.#turn) this.phase = phone.state;
    } catch (fault) {
      if (turn === this.#turn) this.problem = sentenceOf(fault);
    } finally {
      if (turn === this.#turn) this.isStarting = false;
    }
  }

  stop(): void {
    this.#turn += 1;
    this.#phone?.close();
    this.#phone = undefined;
    this.phase = 'offline';
    this.calls = [];
    for (const limit of this.#asked.values()) clearTimeout(limit);
    this.#asked.clear();
    this.isStarting = false;
    this.problem = '';
  }

  /**
   * Has the server call this page into the multiparty call at `path`. The reader has asked for that call, so it is answered without ringing,
   * whether it comes before the answer to the request or after it.
   */
  async join(path: string, participant: object): Promise<void> {
    const body = { ...participant, to: this.username };
    const { calls } = await api<AddedParticipants>('POST', `${path}Participant/`, body);
    for (const { call_uuid: id } of calls) {
      const here = this.calls.find(({ call }) => call.id === id);
      if (here === undefined)
        this.#asked.set(
          id,
          setTimeout(() => this.#asked.delete(id), askedMs),
        );
      else if (here.phase === 'incoming') here.call.accept();
    }
  }

  call(to: string): void {
    if (this.#phone !== undefined) this.#add(this.#phone.call(to));
  }

  #invited(call: Call): void {
    this.#add(call);
    const { id = '' } = call;
    const limit = this.#asked.get(id);
    if (limit === undefined) return;
    clearTimeout(limit);
    this.#asked.delete(id);
    call.accept();
  }

  #add(call: Call): void {
    const added = new PageCall(call, async () => this.#phone?.devices.unlock());
    // A call that is over stays in sight until the next one, so that its end can be read.
    this.calls = [added, ...this.calls.filter((each) => each.phase !== 'ended')];
  }
}

export const pagePhone = new PagePhone();

/** The endpoint that this tab had before its reload, else a free endpoint, else a new endpoint. Tabs have phones of their own. */
async function ownEndpoint(): Promise<string> {
  const known = sessionStorage.getItem(storageKey);
  const found =
    (known === null ? undefined : await endpointOf(known)) ??
    (await freeEndpoint()) ??
    (await createEndpoint());
  sessionStorage.setItem(storageKey, found.endpoint_id);
  return found.username;
}

/** Undefined where the account has none with this identifier, such as after a login as another account. */
async function endpointOf(id: string): Promise<Endpoint | undefined> {
  try {
    return await api<Endpoint>('GET', `Endpoint/${encodeURIComponent(id)}/`);
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 404) return undefined;
    throw fault;
  }
}

/** The search finds endpoints of pages by their name, however many others the account has. */
async function freeEndpoint(): Promise<Endpoint | undefined> {
  const query = queryOf({ q: alias, limit: mostFound });
  const { objects } = await api<{ objects: readonly SearchResult[] }>('GET', `Search/${query}`);
  for (const { kind, id } of objects) {
    if (kind !== 'endpoint') continue;
    const found = await endpointOf(id);
    if (found?.alias === alias && found.sip_registered === 'false') return found;
  }
  return undefined;
}

function createEndpoint(): Promise<Pick<Endpoint, 'endpoint_id' | 'username'>> {
  return api('POST', 'Endpoint/', {
    username: alias,
    alias,
    // The phone logs in with tokens; this password is never used.
    password: randomPassword(),
  });
}

/** `crypto.randomUUID` is missing in a page without TLS, these random values are not. */
function randomPassword(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

async function fetchToken(username: string): Promise<string> {
  const { token } = await api<{ token: string }>('POST', 'JWT/Token/', {
    iss: session.current?.auth_id ?? '',
    sub: username,
    exp: Math.floor(serverNow() / 1000) + tokenSeconds,
    per: { voice: { incoming_allow: true, outgoing_allow: true } },
  });
  return token;
}
