import type { CallbackItem, LiveEvent, StreamItem } from '@jackfield/contract';
import type { FetchedDocument, SignallingMessage } from '@jackfield/contract/console';
import { texts } from '../texts/en-table.ts';
import { readTime } from '../time.ts';

export const lanes = ['sip', 'document', 'callback', 'stream', 'event'] as const;
export type Lane = (typeof lanes)[number];

/** Something of a call at a time. */
export interface Moment {
  readonly key: string;
  readonly atMs: number;
  readonly lane: Lane;
  readonly title: string;
  /** Of a SIP message: in came it, or out went it. */
  readonly direction?: 'received' | 'sent';
  readonly isBad: boolean;
  /** All of it, as text. */
  readonly detail: string;
  /** Of a callback: its own screen. */
  readonly callbackId?: string;
}

interface Parts {
  readonly signalling: { readonly objects: readonly SignallingMessage[] };
  readonly documents: { readonly objects: readonly FetchedDocument[] };
  readonly callbacks: readonly CallbackItem[];
  readonly events: readonly LiveEvent[];
  readonly streams: readonly StreamItem[];
}

/** Everything of a call on one axis, oldest first. */
export function momentsOf({ signalling, documents, callbacks, events, streams }: Parts): readonly Moment[] {
  // The time of a callback is exact to a second, that of its event to a millisecond.
  const times = new Map(events.map((each) => [each.event_id, readTime(each.created_at)]));
  const all: Moment[] = [
    ...signalling.objects.map(
      (message, index): Moment => ({
        key: `sip ${index}`,
        atMs: readTime(message.at),
        lane: 'sip',
        title: message.start_line,
        direction: message.direction,
        isBad: /^SIP\/2\.0 [456]/.test(message.start_line),
        detail: `${message.transport} ${message.remote_address}\n\n${message.message}`,
      }),
    ),
    ...documents.objects.map(
      (each, index): Moment => ({
        key: `document ${index}`,
        atMs: readTime(each.at),
        lane: 'document',
        title: `${each.method} ${each.url} → ${each.response_status ?? '–'} (${each.duration_ms} ms)`,
        isBad: each.problem !== null,
        detail: [each.problem, each.body].filter((text) => text !== null).join('\n\n'),
      }),
    ),
    ...callbacks.map(
      (each): Moment => ({
        key: `callback ${each.callback_id}`,
        atMs: times.get(each.event_id) ?? readTime(each.created_time),
        lane: 'callback',
        title: `${each.event} → ${each.url} ${each.response_status ?? each.status}`,
        isBad: each.status === 'failed' || each.status === 'retrying',
        detail: each.problem ?? '',
        callbackId: each.callback_id,
      }),
    ),
    ...momentsOfStreams(streams, events),
    ...events.map(
      (each): Moment => ({
        key: `event ${each.id}`,
        atMs: readTime(each.created_at),
        lane: each.type.startsWith('stream.') ? 'stream' : 'event',
        title: each.type,
        isBad: /failed|abandoned|timeout/.test(each.type),
        detail: JSON.stringify(each.data, null, 2),
      }),
    ),
  ];
  return all.sort((one, other) => one.atMs - other.atMs);
}

/** Beginning and end of streams whose events are no longer kept. */
function momentsOfStreams(streams: readonly StreamItem[], events: readonly LiveEvent[]): readonly Moment[] {
  const known = new Set(events.map(({ resource }) => resource));
  return streams
    .filter(({ stream_id: id }) => !known.has(`stream/${id}`))
    .flatMap((stream) => {
      const { stream_id: id, service_url: url, start_time: start, end_time: end } = stream;
      const moment = (what: string, at: string | null, title: string): Moment[] => {
        const common = { lane: 'stream', isBad: false, detail: JSON.stringify(stream, null, 2) } as const;
        return at === null ? [] : [{ ...common, key: `stream ${id} ${what}`, atMs: readTime(at), title }];
      };
      return [
        ...moment('start', start, texts.call.streamBegan(url)),
        ...moment('end', end, texts.call.streamEnded(url)),
      ];
    });
}
