import { type Static, Type } from 'typebox';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { machineDetectionFields } from './machine-detection.ts';
import { participantRoles, sipHeadersSchema } from './multiparty-calls.ts';
import { httpUrl, httpUrlPattern, text, uuid, webSocketUrl } from './primitives.ts';
import { streamContentTypes } from './streams.ts';
import { transcriptionFields } from './transcripts.ts';

const addressPattern =
  '(?:\\+?[1-9][0-9]{6,14}|[A-Za-z][A-Za-z0-9_.+-]{0,99}|[sS][iI][pP][sS]?:[^@;?<>\\s\\p{Cc}\\p{Cs}]{1,100}@[^@:;?<>\\s\\p{Cc}\\p{Cs}]{1,253}(?::[0-9]{1,5})?(?:[;?][^<>\\s\\p{Cc}\\p{Cs}]{0,512})?)';

const caller = text({
  maxLength: 1024,
  pattern: `^${addressPattern}$`,
  allowed: 'one phone number in E.164 format, username of an endpoint, or SIP URI',
  description: 'Caller ID: a phone number or an endpoint. Needs `to`; not with `call_uuid`.',
  examples: ['+12025550199'],
});

/** docs/interface/multiparty-calls.md#adding-participants */
const maxDestinations = 20;

const destinations = text({
  maxLength: 8192,
  pattern: `^${addressPattern}(?:<${addressPattern}){0,${maxDestinations - 1}}$`,
  allowed: `a phone number in E.164 format, username of an endpoint, or SIP URI; for agents up to ${maxDestinations} of them, separated by <`,
  description:
    'Who is called. Needs `from`; not with `call_uuid`. Agents: up to 20 separated by `<`, called all at once; the first to answer, and to press `confirm_key`, joins, and the others are hung up with Lost Race.',
  examples: ['+12025550100', '+12025550100<alice'],
});

/** Seconds for every destination, or one value for each. */
const secondsForEach = (options: {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  readonly description: string;
}) => {
  const { minimum, maximum, ...described } = options;
  return Type.Unsafe<number | string>({
    anyOf: [
      { type: 'integer', minimum, maximum },
      { type: 'string', pattern: `^[0-9]{1,15}(?:<[0-9]{1,15}){0,${maxDestinations - 1}}$` },
    ],
    'x-allowed': secondsForEachAllowed(minimum, maximum),
    ...described,
  });
};

/** Also for what a schema cannot say of numbers inside a text. */
export function secondsForEachAllowed(minimum: number, maximum: number): string {
  return `a whole number from ${minimum} to ${maximum}, or one for each destination, separated by <`;
}

export const ringTimeouts = { minimum: 1, maximum: 600, default: 45 } as const;
export const dialDelays = { minimum: 0, maximum: 600, default: 0 } as const;

const method = (of: string, byDefault: 'GET' | 'POST') =>
  Type.Optional(looseEnum(['GET', 'POST'], { description: `HTTP method of ${of}.`, default: byDefault }));

/** What sounds come from. */
const soundOfUrl = 'MP3, WAV, or XML with Play, Speak and Wait';

const edgeSound = (when: string, byDefault: string) =>
  Type.Optional(
    text({
      maxLength: 2048,
      pattern: `^(?:[bB][eE][eE][pP]:[12]|[nN][oO][nN][eE]|${httpUrlPattern})$`,
      allowed:
        'beep:1, beep:2, none, or a URL that starts with http:// or https://, of at most 2048 characters',
      description: `Played to those in the conversation ${when}, a minute at most; the URL gives ${soundOfUrl}. Customers and supervisors do not hear that of a supervisor who coaches.`,
      default: byDefault,
    }),
  );

const music = (heard: string) =>
  Type.Optional(
    httpUrl({
      description: `Heard again and again ${heard}: ${soundOfUrl}. The built-in music when left out.`,
    }),
  );

const flag = (byDefault: boolean, description: string) =>
  Type.Optional(looseBoolean({ description, default: byDefault }));

const eventGroup =
  '(?:mpc-state-changes|participant-state-changes|participant-speak-events|participant-digit-input-events|add-participant-api-events|participant-audio-events)';

export const defaultStatusCallbackEvents = 'mpc-state-changes,participant-state-changes';

export const newParticipant = Type.Object({
  role: looseEnum(participantRoles, { description: 'Cannot be changed later.' }),
  from: Type.Optional(caller),
  to: Type.Optional(destinations),
  call_uuid: Type.Optional(
    uuid({
      description:
        'A live call that is moved here for good, out of its instructions or another multiparty call; instead of `from` and `to`.',
    }),
  ),
  caller_name: Type.Optional(text({ maxLength: 50, description: 'Display name; `from` when left out.' })),
  sip_headers: Type.Optional(sipHeadersSchema),
  ring_timeout: Type.Optional(
    secondsForEach({
      ...ringTimeouts,
      description: 'Seconds to ring, for all destinations or `a<b` for each.',
    }),
  ),
  delay_dial: Type.Optional(
    secondsForEach({
      ...dialDelays,
      description: 'Seconds after which it is dialled, for all destinations or `a<b` for each.',
    }),
  ),

  // Of the call: the one who creates it decides.
  max_duration: Type.Optional(
    looseInteger({
      minimum: 300,
      maximum: 28_800,
      default: 14_400,
      description: 'Seconds from the creation of the call.',
    }),
  ),
  max_participants: Type.Optional(
    looseInteger({ minimum: 2, maximum: 10, default: 10, description: 'Dialled and present together.' }),
  ),
  stay_alone: flag(false, 'Whether the call goes on when all but one have left.'),
  record_min_member_count: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: 2,
      default: 1,
      description: 'Participants before a recording starts by itself.',
    }),
  ),
  status_callback_url: Type.Optional(httpUrl({ description: 'Receives events of the call.' })),
  status_callback_method: method('status_callback_url', 'POST'),
  status_callback_events: Type.Optional(
    text({
      maxLength: 200,
      pattern: `^${eventGroup}(?:\\s*,\\s*${eventGroup})*$`,
      allowed:
        'a comma-separated list of mpc-state-changes, participant-state-changes, participant-speak-events, participant-digit-input-events, add-participant-api-events and participant-audio-events',
      description: 'Groups of events to send.',
      default: defaultStatusCallbackEvents,
    }),
  ),
  recording_callback_url: Type.Optional(httpUrl({ description: 'Receives events of recordings.' })),
  recording_callback_method: method('recording_callback_url', 'POST'),

  // Of the participant.
  coach_mode: flag(true, 'Supervisors: heard by agents alone.'),
  mute: flag(false, 'Joins muted.'),
  hold: flag(false, 'Joins on hold.'),
  start_mpc_on_enter: flag(true, 'Starts the call.'),
  end_mpc_on_exit: flag(false, 'Ends the call by leaving it.'),
  enter_sound: edgeSound('when the participant joins', 'beep:1'),
  enter_sound_method: method('the sound of entering', 'GET'),
  exit_sound: edgeSound('when the participant leaves', 'beep:2'),
  exit_sound_method: method('the sound of leaving', 'GET'),
  call_status_callback_url: Type.Optional(httpUrl({ description: 'Receives events of the dialled call.' })),
  call_status_callback_method: method('call_status_callback_url', 'POST'),
  send_digits: Type.Optional(
    text({
      maxLength: 200,
      pattern: '^[0-9*#A-Da-dwW]+$',
      allowed: '1 to 200 of the characters 0-9 * # A-D, w (waits 0.5 s) and W (waits 1 s)',
      description: 'Pressed as soon as the phone answers; w waits 0.5 s, W 1 s.',
    }),
  ),
  send_on_preanswer: flag(
    false,
    'send_digits are sent as soon as the phone sends audio, even if it has not answered yet; once.',
  ),
  ...machineDetectionFields,
  dial_music: Type.Optional(
    text({
      maxLength: 2048,
      pattern: `^(?:[rR][eE][aA][lL]|[nN][oO][nN][eE]|${httpUrlPattern})$`,
      allowed: 'real, none, or a URL that starts with http:// or https://, of at most 2048 characters',
      description:
        'While the phone is called, participants without any other to hear get: ringback, nothing, or what is behind a URL: MP3, WAV, or XML with Play, Speak and Wait.',
      default: 'real',
    }),
  ),
  confirm_key: Type.Optional(
    text({
      maxLength: 1,
      pattern: '^[0-9*#]$',
      allowed: 'one of 0-9, * and #',
      description:
        'The key that must be pressed before the phone joins; with another one, or none within 20 s, it is hung up with Confirm Key Challenge Failed.',
    }),
  ),
  confirm_key_sound_url: Type.Optional(
    httpUrl({
      description:
        'MP3, WAV, or XML with Play, Speak and Wait: the phone alone hears it, again and again, until it has pressed `confirm_key`.',
    }),
  ),
  confirm_key_sound_method: method('confirm_key_sound_url', 'GET'),
  relay_dtmf_inputs: flag(false, 'Whether its digits are sent to the participants that hear it.'),
  create_mpc_with_single_participant: flag(
    true,
    'false: no call is created for it, and it does not join an empty one.',
  ),
  create_mpc_if_alone: flag(true, 'The older name of create_mpc_with_single_participant.'),
  on_exit_action_url: Type.Optional(
    httpUrl({
      description:
        'Asked for a document when the participant leaves, which then runs on its call; requested also when the participant hangs up.',
    }),
  ),
  on_exit_action_method: method('on_exit_action_url', 'POST'),

  // Of an ai-agent, whose phone is a WebSocket.
  ai_agent_stream_service_url: Type.Optional(
    webSocketUrl({
      description:
        'Role ai-agent, and required there: the server that hears the call as an agent would, and speaks in it. Instead of `call_uuid`; `from` and `to` may be left out.',
    }),
  ),
  ai_agent_stream_content_type: Type.Optional(
    looseEnum(streamContentTypes, {
      default: 'audio/x-l16;rate=8000',
      description: 'Codec and sample rate of its media frames.',
    }),
  ),
  ai_agent_stream_extra_headers: Type.Optional(
    text({ maxLength: 512, description: 'Goes with every frame: pairs such as name=value,other=value.' }),
  ),
  ai_agent_stream_status_callback_url: Type.Optional(
    httpUrl({ description: 'Receives the events of its stream.' }),
  ),
  ai_agent_stream_status_callback_method: method('ai_agent_stream_status_callback_url', 'POST'),

  wait_music_url: music('while the call has not started'),
  wait_music_method: method('wait_music_url', 'GET'),
  agent_hold_music_url: music('by agents and supervisors on hold'),
  agent_hold_music: music('by agents and supervisors on hold; the older name of agent_hold_music_url'),
  agent_hold_music_method: method('agent_hold_music_url', 'GET'),
  customer_hold_music_url: music('by customers on hold'),
  customer_hold_music: music('by customers on hold; the older name of customer_hold_music_url'),
  customer_hold_music_method: method('customer_hold_music_url', 'GET'),
  record: flag(
    false,
    'Records the whole call, from the moment on in which record_min_member_count are present.',
  ),
  record_file_format: Type.Optional(
    looseEnum(['mp3', 'wav'], {
      description: 'Format of the recordings that begin by themselves.',
      default: 'mp3',
    }),
  ),
  record_participant_track: flag(false, 'Records each participant alone too, from that moment on.'),
  record_coach_voice: flag(true, 'Whether a supervisor is recorded while coaching.'),
  start_recording_audio: Type.Optional(
    httpUrl({
      description: `All hear it before a recording of the call begins, a minute at most: ${soundOfUrl}.`,
    }),
  ),
  start_recording_audio_method: method('start_recording_audio', 'GET'),
  stop_recording_audio: Type.Optional(
    httpUrl({
      description: `All hear it after a recording of the call was stopped, a minute at most: ${soundOfUrl}.`,
    }),
  ),
  stop_recording_audio_method: method('stop_recording_audio', 'GET'),
  transcript: flag(
    false,
    'Writes down what is said, in the recordings that begin by themselves; needs record or record_participant_track.',
  ),
  ...transcriptionFields,
});
export type NewParticipant = Static<typeof newParticipant>;
