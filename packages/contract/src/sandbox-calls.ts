import { type Static, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { pathId, text } from './primitives.ts';

export const sandboxCallBehaviours = ['talk', 'silent', 'tone', 'echo'] as const;
export const defaultSandboxCaller = '+12025550199';
export const defaultSandboxCallSeconds = 60;
export const maxSandboxCallSeconds = 300;

export const newSandboxCall = Type.Object({
  to: text({
    maxLength: 255,
    description:
      'A number or an application of the account, or the username or SIP URI of one of its endpoints.',
    examples: ['alice261121120000'],
  }),
  from: Type.Optional(
    text({
      maxLength: 100,
      pattern: '^[A-Za-z0-9_.+-]+$',
      allowed: 'a phone number or a SIP user of at most 100 letters, digits and _ . + -',
      default: defaultSandboxCaller,
      description: 'The caller as the callee sees it.',
    }),
  ),
  behaviour: Type.Optional(
    looseEnum(sandboxCallBehaviours, {
      default: 'talk',
      description:
        'What the phone does from the answer on: talks sentence after sentence, is silent, plays a tone of 1 kHz, or echoes what it hears.',
    }),
  ),
  send_digits: Type.Optional(
    text({
      maxLength: 200,
      pattern: '^[0-9*#A-Da-dwW]+$',
      allowed: '1 to 200 of the characters 0-9 * # A-D, w (waits 0.5 s) and W (waits 1 s)',
      description:
        'Keys that the phone presses from the answer on; w waits 0.5 s, W 1 s: WWW1 presses 1 after 3 s.',
    }),
  ),
  hangup_after: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxSandboxCallSeconds,
      default: defaultSandboxCallSeconds,
      description: 'The phone hangs up so many seconds after the answer.',
    }),
  ),
  record: Type.Optional(
    looseBoolean({ default: true, description: 'Whether what the phone hears is recorded.' }),
  ),
});
export type NewSandboxCall = Static<typeof newSandboxCall>;

export const startedSandboxCall = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['call started'] }),
  sandbox_call_uuid: Type.String({
    description: 'Names the phone’s side: Sandbox/Call/{sandbox_call_uuid}/.',
  }),
  call_uuid: Type.String({
    description: 'The call as the platform names it: Call/{call_uuid}/, CallUUID in requests.',
  }),
});

export const sandboxCallPath = Type.Object({
  sandbox_call_uuid: pathId({ description: 'sandbox_call_uuid of a call of a sandbox phone.' }),
});

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const sandboxCall = Type.Object(
  {
    sandbox_call_uuid: Type.String(),
    call_uuid: Type.String(),
    from: Type.String(),
    to: Type.String(),
    behaviour: Type.String({ examples: [...sandboxCallBehaviours] }),
    state: Type.Unsafe<'calling' | 'ringing' | 'answered' | 'ended'>({
      type: 'string',
      enum: ['calling', 'ringing', 'answered', 'ended'],
    }),
    started_at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
    answered_at: textOrNull('null before the answer, and where there was none.'),
    ended_at: textOrNull('null while the call lives.'),
    end: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why it ended: remote-bye (the platform hung up), local (the phone did), rejected (see sip_status), no-response and the like.',
    }),
    sip_status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The final SIP status of a call that was rejected.',
    }),
    recording: Type.Unsafe<'none' | 'running' | 'complete' | 'removed' | 'failed'>({
      type: 'string',
      enum: ['none', 'running', 'complete', 'removed', 'failed'],
      description: 'none: not requested, or nothing was heard. removed: to make room for newer recordings.',
    }),
    recording_url: textOrNull('The WAV file of what the phone heard; null before it is complete.'),
    recording_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'How long it is.' }),
  },
  { title: 'Sandbox call' },
);
export type SandboxCallItem = Static<typeof sandboxCall>;
export const sandboxCallBody = Type.Object({ api_id: apiId, ...sandboxCall.properties });
export const sandboxCallList = listBody(sandboxCall);
export const sandboxCallListQuery = Type.Object({ ...pageQuery });
