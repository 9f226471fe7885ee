import {
  type LegNotice,
  type Logger,
  legSpec,
  type Media,
  type Sound,
  type Telephony,
} from '@jackfield/ports';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { behaviours, type Conduct } from './domain/behaviours.ts';
import {
  calledPhone,
  callingPhone,
  type SandboxPhone,
  type SandboxPhoneEffect,
  type SandboxPhoneInput,
  sandboxPhoneMachine,
} from './domain/sandbox-phone.ts';

export interface SandboxPhonesDeps {
  readonly runner: SessionRunner;
  /** Signalling of the phones' own side: a SIP user agent apart from the platform's. */
  readonly telephony: Telephony;
  readonly media: Media;
  readonly log: Logger;
  readonly voicemail: Voicemail;
  /** The status with which a call to a phone is refused at this moment; undefined as a rule. */
  readonly refusal?: () => number | undefined;
}

/** The store of voicemail messages. */
export interface Voicemail {
  /** Begins to record a message on this leg of the phone; rejects when it cannot be kept. */
  record(message: Message): Promise<void>;
  stop(leg: string): void;
}

export interface Message {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
}

/** Clip of the talking phone; the start of the sandbox loads it before the first call. */
export const talkerClip = 'sandbox-talker';
/** The same for the voicemail's greeting. */
export const greetingClip = 'sandbox-greeting';

/** −18 dBFS: the level of a person who talks at a normal distance. */
const toneLevelDb = -18;

/** A call that a phone of the sandbox is ordered to make. */
export interface PhoneOrder {
  readonly leg: string;
  readonly conduct: Conduct;
  readonly from: string;
  readonly to: string;
  /** Target of its INVITE: a SIP URI whose host is an address. */
  readonly uri: string;
}

/** A notice of a call that a phone of the sandbox makes. */
export type CallingNotice = Exclude<LegNotice, { readonly type: 'leg-offered' }>;

/** Phones of the sandbox that call. */
export interface CallingPhones {
  /** Rejects when the phone cannot begin; later failures come as `leg-ended`. */
  call(order: PhoneOrder): Promise<void>;
  /** Without effect on a call that is over. */
  hangUp(leg: string): void;
}

/** Connects the phones of the simulated public network to their own signalling; `listen` receives the notices of their outgoing calls. */
export function startSandboxPhones(
  deps: SandboxPhonesDeps,
  listen: (notice: CallingNotice) => void = () => {},
): CallingPhones {
  const { telephony, media } = deps;
  const phones = deps.runner.define<SandboxPhone, SandboxPhoneInput, SandboxPhoneEffect>({
    name: 'sandbox-phone',
    machine: sandboxPhoneMachine,
    isEnded: (phone) => phone.phase === 'ended',
    perform: (leg, effect) => perform(deps, leg, effect),
  });

  function invited(notice: Extract<LegNotice, { readonly type: 'leg-offered' }>): void {
    const behaviour = behaviours.get(notice.to);
    const refusal = behaviour === undefined ? 404 : deps.refusal?.();
    if (behaviour === undefined || refusal !== undefined) {
      telephony.hangUp(notice.leg, refusal);
      return;
    }
    phones.open(notice.leg, calledPhone(behaviour, notice), { type: 'invited' }).catch((error: unknown) => {
      deps.log.warn({ leg: notice.leg, err: error }, 'sandbox phone could not accept its call');
      telephony.hangUp(notice.leg, 500);
    });
  }

  media.subscribe((notice) => {
    if (notice.type === 'media-lost' && phones.peek(notice.leg) !== undefined)
      phones.send(notice.leg, { type: 'hung-up' });
    if (notice.type !== 'play-ended') return;
    if (phones.peek(notice.mix) !== undefined)
      phones.send(notice.mix, { type: 'play-ended', key: notice.key });
  });

  telephony.listen((notice) => {
    if (notice.type === 'leg-offered') return invited(notice);
    if (phones.peek(notice.leg)?.pickUp === null) listen(notice);
    // A phone is silent before the answer: it ignores leg-ringing and leg-early.
    if (notice.type === 'leg-answered' || notice.type === 'leg-ended') {
      phones.send(notice.leg, { type: notice.type });
    }
  });

  return {
    call({ leg, conduct, uri, ...parties }) {
      return phones.open(leg, callingPhone(conduct, parties), { type: 'dialled', uri });
    },
    hangUp(leg) {
      if (phones.peek(leg) !== undefined) phones.send(leg, { type: 'hung-up' });
    },
  };
}

function perform(
  { telephony, media, voicemail, log }: SandboxPhonesDeps,
  leg: string,
  effect: SandboxPhoneEffect,
) {
  switch (effect.do) {
    case 'dial':
      return telephony.dial({
        leg,
        spec: legSpec({ from: effect.from, callerName: '', to: effect.to }),
        callee: effect.to,
        targets: [{ uri: effect.uri }],
      });
    case 'ring':
      return telephony.ring(leg);
    case 'answer':
      return telephony.answer(leg);
    case 'hang-up':
      return telephony.hangUp(leg, effect.status);
    case 'record': {
      const { from, to } = effect;
      voicemail.record({ leg, from, to }).catch((err: unknown) => {
        log.error({ leg, err }, 'voicemail cannot keep a message');
        telephony.hangUp(leg, 500);
      });
      return;
    }
    case 'stop-recording':
      return voicemail.stop(leg);
    case 'press':
      return media.send({ do: 'send-digits', leg, digits: effect.digits });
    case 'leave-mix':
      return media.send({ do: 'close-mix', mix: leg });
    default:
      return sound(media, leg, effect);
  }
}

function sound(media: Media, leg: string, effect: SandboxPhoneEffect) {
  switch (effect.do) {
    case 'be-silent':
      return openMix(media, leg, false);
    case 'echo':
      return openMix(media, leg, true);
    case 'talk':
      openMix(media, leg, false);
      return play(media, leg, { kind: 'clip', name: talkerClip });
    case 'tone':
      openMix(media, leg, false);
      return play(media, leg, { kind: 'tone', frequencyHz: effect.frequencyHz, levelDb: toneLevelDb });
    case 'greet':
      openMix(media, leg, false);
      return play(media, leg, { kind: 'clip', name: greetingClip }, 'greeting');
    case 'beep':
      return play(media, leg, { kind: 'beep', count: 1 }, 'beep');
  }
}

function openMix(media: Media, leg: string, hearsItself: boolean): void {
  media.send({ do: 'open-mix', mix: leg });
  media.send({ do: 'set-hearing', mix: leg, members: [{ leg, hears: hearsItself ? [leg] : [] }] });
}

/** Repeated for ever, or once where the phone waits for its end under `key`. */
function play(media: Media, leg: string, sound: Sound, key?: string): void {
  media.send({ do: 'play', mix: leg, key: key ?? 'voice', to: [leg], sound, loop: key === undefined });
}
