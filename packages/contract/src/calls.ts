import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { instant } from './instant.ts';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { machineDetectionFields } from './machine-detection.ts';
import { sipHeadersSchema } from './multiparty-calls.ts';
import { httpUrl, pathId, text, uuid } from './primitives.ts';

/** A parameter that would change what happens if it were ignored: refused, whatever its value. */
function refused(why: string): TUnsafe<undefined> {
  return Type.Unsafe<undefined>({
    not: {},
    'x-allowed': `left out: ${why}`,
    description: `Refused: ${why}.`,
  });
}

const notOffered = refused('the detection of answering machines has no such setting');

const oneAddress =
  '(?:\\+?[1-9][0-9]{6,14}|[A-Za-z][A-Za-z0-9_.+-]{0,99}|[sS][iI][pP][sS]?:[^@;?<>\\s\\p{Cc}\\p{Cs}]{1,100}@[^@:;?<>\\s\\p{Cc}\\p{Cs}]{1,253}(?::[0-9]{1,5})?(?:[;?][^<>\\s\\p{Cc}\\p{Cs}]{0,512})?)';

/** Destinations of one order to call (docs/interface/calls.md#limits). */
export const maxDestinations = 1000;

const method = (of: string) =>
  Type.Optional(looseEnum(['GET', 'POST'], { default: 'POST', description: `HTTP method of ${of}.` }));

export const callPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a call.' }),
});

export const requestPath = Type.Object({
  request_uuid: pathId({ description: 'request_uuid with which a call was ordered.' }),
});

/** POST Call/ (docs/interface/calls.md#making-a-call). */
export const newCallBody = Type.Object({
  from: text({
    maxLength: 1024,
    pattern: `^${oneAddress}$`,
    allowed: 'one phone number in E.164 format, username of an endpoint, or SIP URI',
    description: 'Caller ID: a phone number or an endpoint.',
    examples: ['+12025550000'],
  }),
  to: text({
    maxLength: 65_536,
    pattern: `^${oneAddress}(?:<${oneAddress}){0,${maxDestinations - 1}}$`,
    allowed: `1 to ${maxDestinations} phone numbers in E.164 format, usernames of endpoints or SIP URIs, separated by <`,
    description: 'Who is called; several are separated by <, and each gets a call of its own.',
    examples: ['+12025550100', '+12025550100<+12025550101'],
  }),
  answer_url: httpUrl({
    description: 'Where the instructions for the call are fetched when it is answered.',
  }),
  answer_method: method('answer_url'),
  ring_url: Type.Optional(httpUrl({ description: 'Receives a request when the phone rings.' })),
  ring_method: method('ring_url'),
  hangup_url: Type.Optional(
    httpUrl({ description: 'Receives a request when the call ends; answer_url when left out.' }),
  ),
  hangup_method: method('hangup_url'),
  fallback_url: Type.Optional(httpUrl({ description: 'Asked when answer_url fails.' })),
  fallback_method: method('fallback_url'),
  caller_name: Type.Optional(text({ maxLength: 50, description: 'Display name; `from` when left out.' })),
  send_digits: Type.Optional(
    text({
      maxLength: 200,
      pattern: '^[0-9*#A-Da-dwW]+$',
      allowed: '1 to 200 of the characters 0-9 * # A-D, w (waits 0.5 s) and W (waits 1 s)',
      description: 'Pressed as soon as the call is answered; w waits 0.5 s, W 1 s.',
    }),
  ),
  send_on_preanswer: Type.Optional(
    looseBoolean({
      default: false,
      description:
        'true: send_digits are sent as soon as the phone sends audio, even if it has not answered yet; once.',
    }),
  ),
  time_limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: 86_400,
      default: 14_400,
      description: 'Seconds from the answer; then the call is hung up.',
    }),
  ),
  hangup_on_ring: Type.Optional(
    looseInteger({
      minimum: 0,
      maximum: 600,
      description: 'Hangs up so many seconds after the phone begins to ring.',
    }),
  ),
  ring_timeout: Type.Optional(
    looseInteger({ minimum: 1, maximum: 600, default: 120, description: 'Seconds that the phone may ring.' }),
  ),
  sip_headers: Type.Optional(sipHeadersSchema),
  parent_call_uuid: Type.Optional(uuid({ description: 'A live call for which this one is made.' })),
  error_parent_not_found: Type.Optional(
    looseBoolean({
      default: false,
      description: 'true refuses when parent_call_uuid names no live call; otherwise it is forgotten.',
    }),
  ),
  ...machineDetectionFields,
  machine_detection_maximum_speech_length: Type.Optional(notOffered),
  machine_detection_initial_silence: Type.Optional(notOffered),
  machine_detection_maximum_words: Type.Optional(notOffered),
  machine_detection_initial_greeting: Type.Optional(notOffered),
  machine_detection_silence: Type.Optional(notOffered),
  machine_detection_answer_time: Type.Optional(notOffered),
});
export type NewCallBody = Static<typeof newCallBody>;

/** `request_uuid` is a list when several destinations were called. */
export const firedCall = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['call fired'] }),
  request_uuid: Type.Unsafe<string | readonly string[]>({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description:
      'One for each call that was made, in the order of the destinations: a list when several were requested.',
  }),
});

/** POST Call/{call_uuid}/: other instructions for the legs of a live call. */
export const transferBody = Type.Object({
  legs: Type.Optional(
    looseEnum(['aleg', 'bleg', 'both'], {
      default: 'aleg',
      description: 'aleg is the named call, bleg the call that was dialled for it.',
    }),
  ),
  aleg_url: Type.Optional(httpUrl({ description: 'New instructions of the A leg.' })),
  aleg_method: method('aleg_url'),
  bleg_url: Type.Optional(httpUrl({ description: 'New instructions of the B leg.' })),
  bleg_method: method('bleg_url'),
});
export type TransferBody = Static<typeof transferBody>;

export const transferredCall = Type.Object({
  api_id: apiId,
  // Clients know it in this spelling (docs/interface/calls.md#transfers).
  message: Type.String({ examples: ['call transfered'] }),
  call_uuids: Type.Array(Type.String()),
});

export const hangupSources = [
  'Caller',
  'Call recipient',
  'Service',
  'Carrier',
  'API Request',
  'Answer XML',
  'Error',
  'Unknown',
] as const;

const seconds = (description: string) =>
  Type.Optional(looseInteger({ minimum: 0, maximum: 1_000_000_000, description }));

const address = (description: string) => Type.Optional(text({ maxLength: 1024, description }));

export const callListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(
    looseEnum(['live', 'queued'], {
      description: 'live gives the UUIDs of calls that have not ended, queued those that wait to be dialled.',
    }),
  ),
  subaccount: Type.Optional(
    text({ maxLength: 20, description: 'Calls of this subaccount only: its auth_id.' }),
  ),
  call_direction: Type.Optional(
    looseEnum(['inbound', 'outbound'], {
      description: 'inbound calls came from a phone, outbound went to one.',
    }),
  ),
  from_number: address('Calls from exactly this number, with or without its +, or endpoint.'),
  to_number: address('Calls to exactly this number, with or without its +, or endpoint.'),
  parent_call_uuid: Type.Optional(uuid({ description: 'Calls that were made for this one.' })),
  hangup_cause_code: Type.Optional(
    looseInteger({ minimum: 0, maximum: 9999, description: 'Calls that ended with this cause.' }),
  ),
  hangup_source: Type.Optional(
    looseEnum(hangupSources, { description: 'Calls that were ended by this side.' }),
  ),
  stir_verification: Type.Optional(
    looseEnum(['Verified', 'Not Verified', 'Not Applicable'], {
      description: 'Caller IDs are not verified: every call is Not Applicable.',
    }),
  ),
  end_time: instant('Ended in this minute or second'),
  end_time__gt: instant('Ended after'),
  end_time__gte: instant('Ended at or after'),
  end_time__lt: instant('Ended before'),
  end_time__lte: instant('Ended at or before'),
  end_time_gt: instant('The same as end_time__gt'),
  end_time_gte: instant('The same as end_time__gte'),
  end_time_lt: instant('The same as end_time__lt'),
  end_time_lte: instant('The same as end_time__lte'),
  bill_duration: seconds('Calls of exactly so many seconds.'),
  bill_duration__gt: seconds('Longer than so many seconds.'),
  bill_duration__gte: seconds('So many seconds or longer.'),
  bill_duration__lt: seconds('Shorter than so many seconds.'),
  bill_duration__lte: seconds('So many seconds or shorter.'),
  bill_duration_gt: seconds('The same as bill_duration__gt.'),
  bill_duration_gte: seconds('The same as bill_duration__gte.'),
  bill_duration_lt: seconds('The same as bill_duration__lt.'),
  bill_duration_lte: seconds('The same as bill_duration__lte.'),
});
export type CallListQuery = Static<typeof callListQuery>;

export const callQuery = Type.Object({
  status: Type.Optional(
    looseEnum(['live', 'queued'], {
      description: 'live gives the call as it is now; queued is always empty.',
    }),
  ),
});

const orNull = <Item extends TSchema>(item: Item) => Type.Union([item, Type.Null()]);
const time = (description: string) =>
  orNull(Type.String({ description, examples: ['2026-02-01 10:00:00+00:00'] }));
const direction = Type.Unsafe<'inbound' | 'outbound'>({ type: 'string', enum: ['inbound', 'outbound'] });
const stir = {
  stir_verification: Type.String({ description: 'Not Applicable: caller IDs are not verified.' }),
  stir_attestation: orNull(Type.String({ description: 'null: see stir_verification.' })),
};

const callRecordFields = {
  call_uuid: Type.String(),
  parent_call_uuid: orNull(Type.String({ description: 'The call for which this one was made.' })),
  from_number: Type.String(),
  to_number: Type.String(),
  call_direction: direction,
  call_state: Type.String({
    description:
      'ANSWER once it was answered; RINGING before; BUSY, FAILED, TIMEOUT, NO-ANSWER or CANCEL when it ended without an answer.',
  }),
  initiation_time: Type.String({ examples: ['2026-02-01 10:00:00+00:00'] }),
  answer_time: time('null for a call that was not answered'),
  end_time: time('null for a call that lives'),
  call_duration: Type.Integer({ description: 'Seconds from the answer to the end.' }),
  bill_duration: Type.Integer({ description: 'The same, at least 1 for a call that was answered.' }),
  billed_duration: Type.Integer({ description: 'Seconds that were billed, by the increments of its rate.' }),
  total_amount: Type.String({ examples: ['0.00850'] }),
  total_rate: Type.String({ description: 'For a minute.', examples: ['0.00850'] }),
  hangup_cause_name: orNull(Type.String()),
  hangup_cause_code: orNull(Type.Integer()),
  hangup_source: orNull(Type.String()),
  hangup_reason: orNull(
    Type.String({
      description:
        'A sentence that says why, where there is more to say than the cause: the fault of a document with its line, why its URL was not reached, what is wrong with `to`. At most 500 characters.',
      examples: ['line 1: <Speek> is no element; <Speak> is'],
    }),
  ),
  end_explanation: orNull(
    Type.String({
      description:
        'One sentence for people: who or what ended the call, when and why; null for a call that lives.',
      examples: ['The callee (+12025550101) hung up 12 s after the answer.'],
    }),
  ),
  conference_uuid: Type.Null({ description: 'Always null: there are multiparty calls instead.' }),
  ...stir,
  voice_network_group: Type.Null(),
  source_ip: orNull(Type.String({ description: 'Where an inbound call came from.' })),
  cnam_lookup: Type.Null(),
  media_encryption: orNull(
    Type.String({
      description:
        'none, or SRTP with its crypto suite, at the end; null for a call that lives or never had audio.',
      examples: ['SRTP AES_CM_128_HMAC_SHA1_80'],
    }),
  ),
  quality: orNull(
    Type.Object(
      {
        codec: Type.String({ description: 'The one sent last.', examples: ['PCMU'] }),
        mos: orNull(
          Type.Number({
            description:
              'Estimated mean opinion score of what came (ITU-T G.107), 1 to 4.5; null when nothing did.',
            examples: [4.37],
          }),
        ),
        packets_received: Type.Integer(),
        packets_lost: Type.Integer(),
        jitter_ms: Type.Number({ description: 'Interarrival jitter at the end (RFC 3550).' }),
        round_trip_ms: orNull(
          Type.Number({ description: 'By the reports of the phone (RTCP); null when it sent none.' }),
        ),
        frames_concealed: Type.Integer({
          description: 'Frames of 20 ms that were made up for packets that came late or never.',
        }),
        packets_sent: Type.Integer(),
        remote_loss_percent: orNull(
          Type.Number({
            description: 'What the phone reported lost last of what it was sent; null without reports.',
          }),
        ),
      },
      {
        description:
          'What came from the phone, unless it says otherwise; null for a call that lives or never had audio.',
      },
    ),
  ),
  client_quality: orNull(
    Type.Object(
      {
        samples: Type.Integer({ description: 'Samples that its page has reported.' }),
        codec: orNull(Type.String()),
        transport: orNull(Type.String({ description: 'udp, or tcp where the network blocks it.' })),
        mos: orNull(Type.Number({ description: 'The mean of the scores.' })),
        worst_mos: orNull(Type.Number()),
        packets_received: Type.Integer(),
        packets_lost: Type.Integer(),
        packets_sent: Type.Integer(),
        jitter_ms: Type.Number({ description: 'The highest.' }),
        round_trip_ms: orNull(Type.Number({ description: 'The highest.' })),
        warnings: Type.Array(Type.String(), { description: 'Each warning once.' }),
      },
      {
        description:
          'What the phone in a page measured at its own end and reported; null where no page has reported.',
      },
    ),
  ),
  resource_uri: Type.String(),
};
export const callRecord = Type.Object(callRecordFields, { title: 'Call in a list' });
export type CallRecord = Static<typeof callRecord>;

const callUuids = Type.Object({ api_id: apiId, calls: Type.Array(Type.String()) });
export const callList = Type.Union([listBody(callRecord), callUuids]);

export const liveCall = Type.Object(
  {
    api_id: apiId,
    call_uuid: Type.String(),
    call_status: Type.String({ description: 'ringing or in-progress.' }),
    caller_name: Type.String(),
    direction,
    from: Type.String(),
    to: Type.String(),
    request_uuid: Type.String(),
    session_start: Type.String({ examples: ['2026-02-01 10:00:00.000000'] }),
    ...stir,
  },
  { title: 'Live call' },
);
export type LiveCall = Static<typeof liveCall>;

export const callBody = Type.Union([
  Type.Object({ api_id: apiId, ...callRecordFields }, { title: 'Call' }),
  liveCall,
]);
