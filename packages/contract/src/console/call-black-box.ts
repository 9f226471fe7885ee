import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { looseEnum } from '../loose.ts';

export const signallingFormats = ['json', 'pcap'] as const;

export const signallingQuery = Type.Object({
  format: Type.Optional(
    looseEnum(signallingFormats, {
      default: 'json',
      description: 'pcap: a capture file of the same messages, for Wireshark and tshark.',
    }),
  ),
});
export type SignallingQuery = Static<typeof signallingQuery>;

export const signallingMessage = Type.Object(
  {
    at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
    direction: Type.Unsafe<'received' | 'sent'>({ type: 'string', enum: ['received', 'sent'] }),
    transport: Type.String({ description: 'udp, tcp, tls, ws or wss.' }),
    remote_address: Type.String({ description: 'Address and port of the other side.' }),
    call_id: Type.String({ description: 'The SIP Call-ID.' }),
    start_line: Type.String({ examples: ['INVITE sip:+12025550101@127.0.0.1 SIP/2.0'] }),
    message: Type.String({
      description:
        'The message without credentials, tokens, keys of SRTP and pressed digits, which are replaced by "(removed)".',
    }),
    is_cut: Type.Boolean({ description: 'The message was longer than is kept.' }),
  },
  { title: 'SIP message' },
);
export type SignallingMessage = Static<typeof signallingMessage>;

/** One answer holds all: a call keeps a bounded number of messages. */
export const signallingBody = Type.Object(
  {
    api_id: apiId,
    call_uuid: Type.String(),
    are_kept: Type.Boolean({ description: 'Whether this server keeps SIP messages now.' }),
    are_left_out: Type.Boolean({ description: 'There were more messages than are kept for a call.' }),
    objects: Type.Array(signallingMessage),
  },
  { title: 'SIP messages of a call' },
);

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const fetchedDocument = Type.Object(
  {
    at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
    url: Type.String({ description: 'Without passwords.' }),
    method: Type.Unsafe<'GET' | 'POST'>({ type: 'string', enum: ['GET', 'POST'] }),
    response_status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'HTTP status of the answer; null when none came.',
    }),
    duration_ms: Type.Integer({ description: 'From the request to the last byte of the answer.' }),
    problem: textOrNull('Why the document could not be fetched; null where it was.'),
    body: textOrNull('The document; null when none came.'),
    is_cut: Type.Boolean({ description: 'The document was longer than is kept.' }),
  },
  { title: 'Fetched document' },
);
export type FetchedDocument = Static<typeof fetchedDocument>;

/** Oldest first; one answer holds all: a call keeps a bounded number of them. */
export const fetchedDocuments = Type.Object({
  api_id: apiId,
  call_uuid: Type.String(),
  are_kept: Type.Boolean({ description: 'Whether this server keeps documents now.' }),
  are_left_out: Type.Boolean({ description: 'There were more documents than are kept for a call.' }),
  objects: Type.Array(fetchedDocument),
});
