import type { CallbackItem, CallRecord, LiveEvent, RecordingItem, StreamItem } from '@jackfield/contract';
import type { CallQualitySample, FetchedDocument, SignallingMessage } from '@jackfield/contract/console';
import { ApiError, sentenceOf } from '../api/api-error.ts';
import { api, type Page, queryOf } from '../api/client.ts';
import { EventStream } from '../api/event-stream.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Moment } from './moments.ts';
import { momentsOf } from './moments.ts';

/** A record that explains its end in one sentence. */
export type EndedRecord = CallRecord & { readonly end_explanation?: string | null };

interface Kept<Item> {
  readonly are_kept: boolean;
  readonly left_out: number;
  readonly objects: readonly Item[];
}

/** The last messages of a call end a little after it, and are written half a second later. */
const lastMessagesMs = 5_000;

/** Of one list of events. */
const mostResources = 10;

const none = { are_kept: false, left_out: 0, objects: [] };

/** All that the server knows of one call. Each part comes by itself: a missing part hides no other. */
export class BlackBox {
  readonly uuid: string;
  readonly #path: string;
  record = $state.raw<EndedRecord | undefined>(undefined);
  /** A call that rings or is being talked in has no record of its end yet. */
  isLive = $state(false);
  signalling = $state.raw<Kept<SignallingMessage>>(none);
  documents = $state.raw<Kept<FetchedDocument>>(none);
  callbacks = $state.raw<readonly CallbackItem[]>([]);
  events = $state.raw<readonly LiveEvent[]>([]);
  quality = $state.raw<readonly CallQualitySample[]>([]);
  recordings = $state.raw<readonly RecordingItem[]>([]);
  streams = $state.raw<readonly StreamItem[]>([]);
  problem = $state('');
  readonly moments: readonly Moment[] = $derived.by(() => momentsOf(this));
  readonly #eventStream: EventStream;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #last: ReturnType<typeof setTimeout> | undefined;

  constructor(uuid: string) {
    this.uuid = uuid;
    this.#path = `Call/${encodeURIComponent(uuid)}/`;
    this.#eventStream = new EventStream({
      onEvents: (events) => {
        const isOurs = events.some(
          ({ resource, data }) => resource === `call/${uuid}` || data.CallUUID === uuid,
        );
        if (isOurs) this.refresh();
      },
      onGap: () => void this.#read(),
    });
  }

  close(): void {
    clearTimeout(this.#pause);
    clearTimeout(this.#last);
    this.#eventStream.close();
  }

  refresh(): void {
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      void this.#read();
    }, 300);
  }

  async #read(): Promise<void> {
    const path = this.#path;
    const resource = encodeURIComponent(`call/${this.uuid}`);
    await Promise.all([
      this.#readRecord(),
      part<Kept<SignallingMessage>>(`${path}Signalling/`, (found) => {
        this.signalling = found;
      }),
      part<Kept<FetchedDocument>>(`${path}Document/`, (found) => {
        this.documents = found;
      }),
      part<Page<CallbackItem>>(`Callback/?resource=${resource}`, (found) => {
        this.callbacks = found.objects;
      }),
      part<{ objects: readonly CallQualitySample[] }>(`${path}Quality/`, (found) => {
        this.quality = found.objects;
      }),
      part<Page<RecordingItem>>(`Recording/?call_uuid=${encodeURIComponent(this.uuid)}`, (found) => {
        this.recordings = found.objects;
      }),
      this.#readStreams(),
    ]);
  }

  /** Events name a stream of the call as a resource of its own. */
  async #readStreams(): Promise<void> {
    await part<Page<StreamItem>>(`${this.#path}Stream/`, (found) => {
      this.streams = found.objects;
    });
    const resources = [`call/${this.uuid}`, ...this.streams.map(({ stream_id: id }) => `stream/${id}`)];
    const query = queryOf({ resource: resources.slice(0, mostResources).join(','), limit: 100 });
    await part<{ objects: readonly LiveEvent[] }>(`Event/${query}`, (found) => {
      this.events = found.objects.filter((each) => resources.includes(each.resource));
    });
  }

  /** Once more when all messages of a call that has just ended are written. */
  #readLastMessages(end: string | null): void {
    if (end === null || this.#last !== undefined) return;
    const leftMs = Date.parse(end) + lastMessagesMs - serverNow();
    if (leftMs > 0) this.#last = setTimeout(() => this.refresh(), Math.min(leftMs, lastMessagesMs));
  }

  async #readRecord(): Promise<void> {
    try {
      this.record = await api<EndedRecord>('GET', this.#path);
      this.isLive = this.record.end_time === null;
      this.#readLastMessages(this.record.end_time);
      this.problem = '';
    } catch (fault) {
      this.problem = sentenceOf(fault);
    }
  }
}

/** A part that the server does not have for this call (404) or does not serve stays as it is. */
async function part<Body>(path: string, set: (body: Body) => void): Promise<void> {
  try {
    set(await api<Body>('GET', path));
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
  }
}
