import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { looseEnum, looseInteger } from '../loose.ts';
import { pathId, text } from '../primitives.ts';
import { signallingFormats, signallingMessage } from './call-black-box.ts';

export const defaultTraceMinutes = 15;
const maxTraceMinutes = 240;
/** Messages in one answer. */
export const tracePageSize = 200;

export const newSipTrace = Type.Object({
  call_uuid: Type.Optional(
    text({ maxLength: 36, description: 'A live call. Either this or endpoint_id, not both.' }),
  ),
  endpoint_id: Type.Optional(
    text({
      maxLength: 36,
      description:
        'An endpoint: its registrations, calls and messages, and what others send in its name. Either this or call_uuid.',
    }),
  ),
  minutes: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxTraceMinutes,
      default: defaultTraceMinutes,
      description: 'When the trace ends by itself.',
    }),
  ),
});
export type NewSipTrace = Static<typeof newSipTrace>;

export const sipTracePath = Type.Object({
  trace_id: pathId({ description: 'Of the answer that began it.' }),
});

export const sipTraceMessagesQuery = Type.Object({
  after: Type.Optional(
    looseInteger({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`meta.after` of the page before.',
    }),
  ),
  format: Type.Optional(
    looseEnum(signallingFormats, {
      default: 'json',
      description: 'pcap: a capture file of all messages, for Wireshark and tshark.',
    }),
  ),
});

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const sipTrace = Type.Object(
  {
    trace_id: Type.String(),
    call_uuid: textOrNull,
    endpoint_id: textOrNull,
    began_at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
    ends_at: Type.String({ examples: ['2026-02-01T10:15:00.125Z'] }),
    is_on: Type.Boolean(),
  },
  { title: 'SIP trace' },
);
export type SipTraceItem = Static<typeof sipTrace>;
export const sipTraceBody = Type.Object({ api_id: apiId, ...sipTrace.properties });
/** Newest first; the number of traces of an account is bounded. */
export const sipTraceList = Type.Object({ api_id: apiId, objects: Type.Array(sipTrace) });

export const sipTraceMessages = Type.Object({
  api_id: apiId,
  meta: Type.Object({
    after: Type.Integer({ description: 'Where this page ends: later messages are behind it.' }),
    are_left_out: Type.Boolean({ description: 'There were more messages than are kept for a trace.' }),
    is_on: Type.Boolean({ description: 'Whether more may come.' }),
  }),
  objects: Type.Array(signallingMessage),
});
