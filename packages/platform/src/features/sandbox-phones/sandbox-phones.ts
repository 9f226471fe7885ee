import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Media, Sound } from '../../ports/media.ts';
import type { Telephony } from '../../ports/telephony.ts';
import { behaviours } from './domain/behaviours.ts';
import {
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
}

/** Name of the clip that the talking phone plays; whoever starts the sandbox loads it before the first call. */
export const talkerClip = 'sandbox-talker';

/** −18 dBFS: the level of a person who talks at a normal distance. */
const toneLevelDb = -18;

/** Puts the phones of the public network's stand-in onto their own signalling. */
export function startSandboxPhones(deps: SandboxPhonesDeps): void {
  const { telephony, media } = deps;

  const phones = deps.runner.define<SandboxPhone, SandboxPhoneInput, SandboxPhoneEffect>({
    name: 'sandbox-phone',
    machine: sandboxPhoneMachine,
    isEnded: (phone) => phone.phase === 'ended',
    perform(leg, effect) {
      switch (effect.do) {
        case 'ring':
          return telephony.ring(leg);
        case 'answer':
          return telephony.answer(leg);
        case 'hang-up':
          return telephony.hangUp(leg, effect.status);
        case 'echo':
          return hearItself(leg, true);
        case 'talk':
          hearItself(leg, false);
          return play(leg, { kind: 'clip', name: talkerClip });
        case 'tone':
          hearItself(leg, false);
          return play(leg, { kind: 'tone', frequencyHz: effect.frequencyHz, levelDb: toneLevelDb });
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

  function play(leg: string, sound: Sound): void {
    media.send({ do: 'play', mix: leg, key: 'voice', to: [leg], sound, loop: true });
  }

  telephony.listen((notice) => {
    switch (notice.type) {
      case 'leg-offered': {
        const behaviour = behaviours.get(notice.to);
        if (behaviour === undefined) return telephony.hangUp(notice.leg, 404);
        phones
          .open(notice.leg, { behaviour, phase: 'ringing' }, { type: 'invited' })
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
        return; // the phones call nobody
    }
  });
}
