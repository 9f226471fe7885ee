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
}

/** Where the voicemail keeps what its callers say. */
export interface Voicemail {
  /** Begins to take a message on this leg of the phone; rejects when it cannot be kept. */
  record(message: Message): Promise<void>;
  stop(leg: string): void;
}

export interface Message {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
}

/** Name of the clip that the talking phone plays; whoever starts the sandbox loads it before the first call. */
export const talkerClip = 'sandbox-talker';
/** The same for the voicemail's greeting. */
export const greetingClip = 'sandbox-greeting';

/** −18 dBFS: the level of a person who talks at a normal distance. */
const toneLevelDb = -18;

/** A call that a phone of the sandbox is to make. */
export interface PhoneOrder {
  readonly leg: string;
  readonly conduct: Conduct;
  readonly from: string;
  readonly to: string;
  /** Where its INVITE goes: a SIP URI whose host is an address. */
  readonly uri: string;
}

/** What happens to a call that a phone of the sandbox makes. */
export type CallingNotice = Exclude<LegNotice, { readonly type: 'leg-offered' }>;

/** Phones of the sandbox that call. */
export interface CallingPhones {
  /** Rejects when the phone cannot begin; later failures come as `leg-ended`. */
  call(order: PhoneOrder): Promise<void>;
  /** Nothing for a call that is over. */
  hangUp(leg: string): void;
}

/** Puts the phones of the simulated public network onto their own signalling; `heard` receives the notices of the calls that they make. */
export function startSandboxPhones(
  deps: SandboxPhonesDeps,
  heard: (notice: CallingNotice) => void = () => {},
): CallingPhones {
  const { telephony, media, voicemail, log } = deps;

  const phones = deps.runner.define<SandboxPhone, SandboxPhoneInput, SandboxPhoneEffect>({
    name: 'sandbox-phone',
    machine: sandboxPhoneMachine,
    isEnded: (phone) => phone.phase === 'ended',
    perform(leg, effect) {
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
        case 'be-silent':
          return hearItself(leg, false);
        case 'echo':
          return hearItself(leg, true);
        case 'talk':
          hearItself(leg, false);
          return play(leg, { kind: 'clip', name: talkerClip });
        case 'tone':
          hearItself(leg, false);
          return play(leg, { kind: 'tone', frequencyHz: effect.frequencyHz, levelDb: toneLevelDb });
        case 'greet':
          hearItself(leg, false);
          return play(leg, { kind: 'clip', name: greetingClip }, 'greeting');
        case 'beep':
          return play(leg, { kind: 'beep', count: 1 }, 'beep');
        case 'record':
          return record({ leg, from: effect.from, to: effect.to });
        case 'stop-recording':
          return voicemail.stop(leg);
        case 'press':
          return media.send({ do: 'send-digits', leg, digits: effect.digits });
        case 'leave-mix':
          return media.send({ do: 'close-mix', mix: leg });
      }
    },
  });

  function hearItself(leg: string, echoes: boolean): void {
    media.send({ do: 'open-mix', mix: leg });
    media.send({ do: 'set-hearing', mix: leg, members: [{ leg, hears: echoes ? [leg] : [] }] });
  }

  /** Over and over, or once where somebody waits for its end under `key`. */
  function play(leg: string, sound: Sound, key?: string): void {
    media.send({ do: 'play', mix: leg, key: key ?? 'voice', to: [leg], sound, loop: key === undefined });
  }

  function record(message: Message): void {
    voicemail.record(message).catch((err: unknown) => {
      log.error({ leg: message.leg, err }, 'The voicemail cannot keep a message.');
      telephony.hangUp(message.leg, 500);
    });
  }

  media.subscribe((notice) => {
    if (notice.type !== 'play-ended') return;
    if (phones.peek(notice.mix) !== undefined)
      phones.send(notice.mix, { type: 'play-ended', key: notice.key });
  });

  telephony.listen((notice) => {
    if (notice.type !== 'leg-offered' && phones.peek(notice.leg)?.pickUp === null) heard(notice);
    switch (notice.type) {
      case 'leg-offered': {
        const behaviour = behaviours.get(notice.to);
        if (behaviour === undefined) return telephony.hangUp(notice.leg, 404);
        phones
          .open(notice.leg, calledPhone(behaviour, notice), { type: 'invited' })
          .catch((error: unknown) => {
            deps.log.warn({ leg: notice.leg, err: error }, 'A phone of the sandbox could not take its call.');
            telephony.hangUp(notice.leg, 500);
          });
        return;
      }
      case 'leg-answered':
      case 'leg-ended':
        return phones.send(notice.leg, { type: notice.type });
      case 'leg-ringing':
      case 'leg-early':
        return; // nothing is said before an answer
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
