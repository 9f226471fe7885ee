import type { CallbackItem, CallRecord, LiveEvent, RecordingItem, StreamItem } from '@jackfield/contract';
import type { CallQualitySample, FetchedDocument, SignallingMessage } from '@jackfield/contract/console';
import { ApiError, sentenceOf } from '../api/api-error.ts';
import { api, queryOf } from '../api/client.ts';
import { EventStream, type EventStreamState } from '../api/event-stream.ts';
import { type ListItems, readList } from '../api/list-pages.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Moment } from './moments.ts';
import { momentsOf } from './moments.ts';

/** A record that explains its end in one sentence. */
export type EndedRecord = CallRecord & { readonly end_explanation?: string | null };

interface Kept<Item> {
  readonly are_kept: boolean;
  readonly are_left_out: boolean;
  readonly objects: readonly Item[];
}

/** The last messages of a call end a little after it, and are written half a second later. */
const lastMessagesMs = 5_000;

/** Of one list of events. */
const mostResources = 10;

/** Events on one page, the newest of the call: the API's most. */
const mostEvents = 100;

const none = { are_kept: false, are_left_out: false, objects: [] };
const noItems = { objects: [], leftOut: 0 };

/** All that the server knows of one call. Each part comes by itself: a missing part hides no other. */
export class BlackBox {
  readonly uuid: string;
  readonly #path: string;
  record = $state.raw<EndedRecord | undefined>(undefined);
  /** A call that rings or is being talked in has no record of its end yet. */
  isLive = $state(false);
  signalling = $state.raw<Kept<SignallingMessage>>(none);
  documents = $state.raw<Kept<FetchedDocument>>(none);
  callbacks = $state.raw<ListItems<CallbackItem>>(noItems);
  events = $state.raw<readonly LiveEvent[]>([]);
  areEventsLeftOut = $state(false);
  quality = $state.raw<readonly CallQualitySample[]>([]);
  recordings = $state.raw<ListItems<RecordingItem>>(noItems);
  streams = $state.raw<ListItems<StreamItem>>(noItems);
  problem = $state('');
  eventStreamState = $state<EventStreamState>('connecting');
  readonly moments: readonly Moment[] = $derived.by(() =>
    momentsOf({
      signalling: this.signalling,
      documents: this.documents,
      callbacks: this.callbacks.objects,
      events: this.events,
      streams: this.streams.objects,
    }),
  );
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
      onState: (state) => {
        this.eventStreamState = state;
      },
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
      part(api<Kept<SignallingMessage>>('GET', `${path}Signalling/`), (found) => {
        this.signalling = found;
      }),
      part(api<Kept<FetchedDocument>>('GET', `${path}Document/`), (found) => {
        this.documents = found;
      }),
      part(
        readList<CallbackItem>(`Callback/?resource=${resource}`, (each) => each.callback_id),
        (found) => {
          this.callbacks = found;
        },
      ),
      part(api<{ objects: readonly CallQualitySample[] }>('GET', `${path}Quality/`), (found) => {
        this.quality = found.objects;
      }),
      part(
        readList<RecordingItem>(
          `Recording/?call_uuid=${encodeURIComponent(this.uuid)}`,
          (each) => each.recording_id,
        ),
        (found) => {
          this.recordings = found;
        },
      ),
      this.#readStreams(),
    ]);
  }

  /** Events name a stream of the call as a resource of its own. */
  async #readStreams(): Promise<void> {
    await part(
      readList<StreamItem>(`${this.#path}Stream/`, (each) => each.stream_id),
      (found) => {
        this.streams = found;
      },
    );
    const streams = this.streams.objects.map(({ stream_id: id }) => `stream/${id}`);
    const resources = [`call/${this.uuid}`, ...streams];
    const query = queryOf({ resource: resources.slice(0, mostResources).join(','), limit: mostEvents });
    await part(api<{ objects: readonly LiveEvent[] }>('GET', `Event/${query}`), (found) => {
      this.areEventsLeftOut = found.objects.length === mostEvents;
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
async function part<Body>(answer: Promise<Body>, set: (body: Body) => void): Promise<void> {
  try {
    set(await answer);
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
  }
}
