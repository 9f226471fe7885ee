import { type Static, Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { looseInteger } from './loose.ts';
import { text } from './primitives.ts';

export const defaultEventPage = 20;
export const maxEventPage = 100;

const resourcePattern = '[a-z-]+/[^,\\s\\p{Cc}\\p{Cs}]{1,90}';

export const liveEventsQuery = Type.Object({
  after: Type.Optional(
    text({
      maxLength: 31,
      pattern: '^[0-9]{1,15}-[0-9]{1,15}$',
      allowed: 'the id of an event of the stream, or meta.after of a page',
      description:
        'Events behind this one, oldest first; left out: the newest page, or, as a stream, what comes from now on.',
    }),
  ),
  limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxEventPage,
      default: defaultEventPage,
      description: 'Events on a page.',
    }),
  ),
  type: Type.Optional(
    text({
      maxLength: 60,
      pattern: '^[a-z-]+([.][a-z-]+)?$',
      allowed: 'a type such as call.answered, or a family such as call',
      description:
        'Events of this type or family (the part of a type before its dot) only; a type that no event has is refused. A page looks through a bounded number of events: go on at meta.next until it is null.',
    }),
  ),
  resource: Type.Optional(
    text({
      maxLength: 1000,
      pattern: `^${resourcePattern}(,${resourcePattern}){0,9}$`,
      allowed: 'one to ten resources, such as call/<call_uuid>, separated by commas',
      description: 'Events of these resources only, such as one call and its multiparty call.',
    }),
  ),
});
export type LiveEventsQuery = Static<typeof liveEventsQuery>;

export const liveEvent = Type.Object(
  {
    id: Type.String({ description: 'Its position in the event stream; `after` continues behind it.' }),
    event_id: Type.String({ description: 'The same as X-Service-Event-Id of its callback.' }),
    type: Type.String({ examples: ['call.answered', 'endpoint.registered', 'callback.delivered'] }),
    account: Type.String({ description: 'The account or subaccount that it belongs to.' }),
    resource: Type.String({ examples: ['multiparty-call/3f6c…'] }),
    created_at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The fields that its callback carries.',
    }),
  },
  { title: 'Event' },
);
export type LiveEvent = Static<typeof liveEvent>;

export const liveEventList = Type.Object({
  api_id: apiId,
  meta: Type.Object({
    limit: Type.Integer(),
    after: Type.String({ description: 'Where this page ends: what comes later is behind it.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Path and query of the next page; null where nothing is known to be behind this one.',
    }),
  }),
  objects: Type.Array(liveEvent),
});
