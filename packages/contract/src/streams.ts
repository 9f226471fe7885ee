import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import {
  codesOf,
  type StreamErrorCode,
  type StreamReasonCode,
  streamErrorCodes,
  streamReasonCodes,
} from './fault-codes.ts';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { httpUrl, pathId, text, webSocketUrl } from './primitives.ts';

export const streamContentTypes = [
  'audio/x-l16;rate=8000',
  'audio/x-l16;rate=16000',
  'audio/x-l16;rate=24000',
  'audio/x-mulaw;rate=8000',
] as const;

/**
 * Languages of the frames, by the service whose interface has them, with the formats that each can carry: the first where a request
 * names none.
 */
export const streamDialects = {
  plivo: { contentTypes: streamContentTypes, hasBinaryFrames: true, hasSpeechFrames: true },
  twilio: { contentTypes: ['audio/x-mulaw;rate=8000'], hasBinaryFrames: false, hasSpeechFrames: false },
} as const;
export const streamDialectNames = [
  'plivo',
  'twilio',
] as const satisfies readonly (keyof typeof streamDialects)[];

/** Settings of speech frames: the silence that ends speech, and the level below which nothing is speech. */
export const voiceActivityRanges = {
  silenceMs: { minimum: 100, maximum: 5000, default: 500 },
  levelDb: { minimum: -60, maximum: -20, default: -52 },
} as const;

export const streamTracks = ['inbound', 'outbound', 'both'] as const;

export const callStreamsPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a call.' }),
});

export const callStreamPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a call.' }),
  stream_id: pathId({ description: 'stream_id of a stream of this call.' }),
});

export const mpcStreamsPath = Type.Object({
  mpc: pathId({ description: 'name_<friendly_name> or uuid_<mpc_uuid> of a multiparty call.' }),
});

export const mpcStreamPath = Type.Object({
  mpc: pathId({ description: 'name_<friendly_name> or uuid_<mpc_uuid> of a multiparty call.' }),
  stream_id: pathId({ description: 'stream_id of a stream of this multiparty call.' }),
});

export const streamListQuery = Type.Object({ ...pageQuery });

/** Pairs as text, or as the JSON object that they may also be written as. */
const extraHeaders: TUnsafe<string | object> = Type.Unsafe<string | object>({
  anyOf: [
    { type: 'string', maxLength: 512, pattern: '^[^\\p{Cc}\\p{Cs}]*$' },
    { type: 'object', maxProperties: 64, additionalProperties: { type: 'string' } },
  ],
  'x-allowed':
    'pairs such as name=value,other=value (or with ; between them, or a JSON object of texts), at most 512 bytes',
  description: 'Goes with every frame, as pairs joined by ; or as the JSON that it is.',
});

const settings = {
  service_url: webSocketUrl({ description: 'WebSocket server that the audio is streamed to.' }),
  bidirectional: Type.Optional(
    looseBoolean({ default: false, description: 'Whether the server may send audio and keys to the call.' }),
  ),
  stream_timeout: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: 86_400,
      default: 86_400,
      description: 'Seconds after its connection at which it ends.',
    }),
  ),
  content_type: Type.Optional(
    looseEnum(streamContentTypes, {
      default: 'audio/x-l16;rate=8000',
      description:
        'Codec and sample rate of the media frames; L16 is little-endian. With dialect twilio it is audio/x-mulaw;rate=8000.',
    }),
  ),
  dialect: Type.Optional(
    looseEnum(streamDialectNames, {
      default: 'plivo',
      description:
        'Language of the frames. twilio: connected, start, media, mark, clear, dtmf and stop, with audio/x-mulaw;rate=8000 as content_type.',
    }),
  ),
  status_callback_url: Type.Optional(httpUrl({ description: 'Receives the events of the stream.' })),
  status_callback_method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'HTTP method of status_callback_url.' }),
  ),
  status_callback_events: Type.Optional(
    text({
      minLength: 0,
      maxLength: 200,
      description:
        'Which events between beginning and end are sent: PlayedStream, ClearedAudio, DegradedStream, InterruptedStream, ResumedStream separated by commas, or none; all of them when left out.',
    }),
  ),
  extra_headers: Type.Optional(extraHeaders),
  noise_cancellation: Type.Optional(
    looseBoolean({ default: 'false', description: 'Whether noise is taken out of what is said.' }),
  ),
  noise_cancellation_level: Type.Optional(
    looseInteger({
      minimum: 60,
      maximum: 100,
      default: 85,
      description: 'How much of the noise; counts where noise_cancellation is true.',
    }),
  ),
  resumable: Type.Optional(
    looseBoolean({
      default: false,
      description:
        'A lost connection is made again within 30 s: what was said meanwhile follows, and listeners of the stream hear hold audio.',
    }),
  ),
  fallback_url: Type.Optional(
    webSocketUrl({ description: 'Tried when service_url cannot be reached, or not again.' }),
  ),
  binary_frames: Type.Optional(
    looseBoolean({ default: false, description: 'Media as binary frames instead of base64 in JSON.' }),
  ),
  voice_activity: Type.Optional(
    looseBoolean({
      default: false,
      description: 'Whether speech frames report when speech begins and ends in each track.',
    }),
  ),
  voice_activity_silence: Type.Optional(
    looseInteger({
      ...voiceActivityRanges.silenceMs,
      description: 'Milliseconds of silence that end speech; counts where voice_activity is true.',
    }),
  ),
  voice_activity_level: Type.Optional(
    looseInteger({
      ...voiceActivityRanges.levelDb,
      description: 'Quieter sound is never speech, in dB of full scale; counts where voice_activity is true.',
    }),
  ),
  stop_frame: Type.Optional(
    looseBoolean({ default: true, description: 'Whether a stop frame goes in front of the close.' }),
  ),
};

export const newCallStream = Type.Object({
  ...settings,
  audio_track: Type.Optional(
    looseEnum(streamTracks, {
      default: 'inbound',
      description:
        'What is streamed: what the phone says, what it hears, or both; inbound where bidirectional is true.',
    }),
  ),
});
export type NewCallStream = Static<typeof newCallStream>;

export const newMpcStream = Type.Object({
  ...settings,
  speak_to: Type.Optional(
    text({
      maxLength: 60,
      description:
        'Roles that hear what the server plays, separated by commas: agent, customer, supervisor; everybody when left out. With bidirectional.',
    }),
  ),
});
export type NewMpcStream = Static<typeof newMpcStream>;

const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const itemFields = {
  stream_id: Type.String({ format: 'uuid' }),
  call_uuid: Type.String(),
  service_url: Type.String(),
  audio_track: Type.Unsafe<(typeof streamTracks)[number]>({ type: 'string', enum: [...streamTracks] }),
  bidirectional: Type.Boolean(),
  start_time: timeOrNull('When it was connected; null before.'),
  end_time: timeOrNull('Null while it lives.'),
};

export const streamItem = Type.Object(itemFields, { title: 'Audio stream in a list' });
export type StreamItem = Static<typeof streamItem>;
export const streamList = listBody(streamItem);

export const streamStatuses = ['initiated', 'in-progress', 'completed', 'failed'] as const;

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const nullableCode = <Code extends string>(codes: Readonly<Record<Code, string>>, description: string) =>
  Type.Unsafe<Code | null>({ type: ['string', 'null'], enum: [...codesOf(codes), null], description });

const objectFields = {
  ...itemFields,
  content_type: Type.String({ examples: ['audio/x-l16;rate=8000'] }),
  dialect: Type.Unsafe<(typeof streamDialectNames)[number]>({
    type: 'string',
    enum: [...streamDialectNames],
  }),
  status: Type.Unsafe<(typeof streamStatuses)[number]>({ type: 'string', enum: [...streamStatuses] }),
  status_reason: nullableText(
    'Why it ended: API request, Call hangup, Stream timeout, Connection error, Closed by the application.',
  ),
  status_reason_code: nullableCode<StreamReasonCode>(
    streamReasonCodes,
    'status_reason as a code of docs/reference/errors.md.',
  ),
  error: nullableText('Why a stream failed, in a sentence.'),
  error_code: nullableCode<StreamErrorCode>(streamErrorCodes, 'error as a code of docs/reference/errors.md.'),
  bill_duration: Type.Integer({ description: 'Seconds streamed.' }),
  rounded_bill_duration: Type.Integer({ description: 'Seconds that are billed.' }),
  billed_amount: Type.String({ examples: ['0.00300'] }),
  created_at: Type.String({ examples: ['2026-02-01 10:00:00.123000+00:00'] }),
  stream_timeout: Type.Integer(),
  extra_headers: nullableText('As it was written.'),
  noise_cancellation: Type.Boolean(),
  noise_cancellation_level: Type.Union([Type.Integer(), Type.Null()]),
  status_callback_url: nullableText('Null where no URL receives the events.'),
  status_callback_method: nullableText('Null where no URL receives the events.'),
  resumable: Type.Boolean(),
  fallback_url: nullableText('Null where there is none.'),
  mpc_uuid: nullableText('Of a stream of a whole multiparty call.'),
  statistics: Type.Union(
    [
      Type.Object({
        frames_sent: Type.Integer(),
        frames_dropped: Type.Integer(),
        frames_received: Type.Integer(),
        frames_refused: Type.Integer(),
        played_ms: Type.Integer(),
        play_dropped_ms: Type.Integer(),
      }),
      Type.Null(),
    ],
    { description: 'Of a stream that has ended.' },
  ),
  auth_id: Type.String(),
  resource_uri: Type.String(),
};
export const streamObject = Type.Object(objectFields, { title: 'Audio stream' });
export type StreamObject = Static<typeof streamObject>;

export const streamBody = Type.Object({ api_id: apiId, ...objectFields });

/** Both of the forms in which the start is answered elsewhere: the three fields, and the whole object. */
export const startedStream = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['audio streaming started'] }),
  ...objectFields,
});
