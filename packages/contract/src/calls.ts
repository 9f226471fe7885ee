import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
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

const notOffered = refused('machine detection is not offered');

const oneAddress =
  '(?:\\+?[1-9][0-9]{6,14}|[A-Za-z][A-Za-z0-9_.+-]{0,99}|[sS][iI][pP][sS]?:[^@;?<>\\s\\p{Cc}\\p{Cs}]{1,100}@[^@:;?<>\\s\\p{Cc}\\p{Cs}]{1,253}(?::[0-9]{1,5})?(?:[;?][^<>\\s\\p{Cc}\\p{Cs}]{0,512})?)';

/** Destinations of one order to call (conventions.md §13). */
export const maxDestinations = 1000;

const method = (of: string) =>
  Type.Optional(looseEnum(['GET', 'POST'], { default: 'POST', description: `HTTP method of ${of}.` }));

export const callPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a call.' }),
});

export const requestPath = Type.Object({
  request_uuid: pathId({ description: 'request_uuid with which a call was ordered.' }),
});

/** POST Call/ (conventions.md §12.2). */
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
  ring_url: Type.Optional(httpUrl({ description: 'Told when the phone rings.' })),
  ring_method: method('ring_url'),
  hangup_url: Type.Optional(httpUrl({ description: 'Told when the call ends; answer_url when left out.' })),
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
    Type.Unsafe<boolean | string>({
      anyOf: [
        { type: 'boolean', const: false },
        { type: 'string', pattern: '^[fF][aA][lL][sS][eE]$' },
      ],
      'x-allowed': 'false: digits are sent after the answer',
      description: 'false: digits are sent after the answer.',
      default: false,
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
  machine_detection: Type.Optional(notOffered),
  machine_detection_time: Type.Optional(notOffered),
  machine_detection_url: Type.Optional(notOffered),
  machine_detection_method: Type.Optional(notOffered),
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
    description: 'One for each destination, in their order: a list when there are several.',
  }),
});

/** POST Call/{call_uuid}/: other instructions for the legs of a live call. */
export const transferBody = Type.Object({
  legs: Type.Optional(
    looseEnum(['aleg', 'bleg', 'both'], {
      default: 'aleg',
      description: 'aleg is the named call, bleg the one that was dialled for it.',
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
  // Clients know it in this spelling (conventions.md §12.2).
  message: Type.String({ examples: ['call transfered'] }),
  call_uuids: Type.Array(Type.String()),
});
