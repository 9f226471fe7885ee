import { type AudioStreams, type CallEnd, callEnds, type Media, type Telephony } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import { endedInput, type Offers } from './offers.ts';

export interface NoticeDeps {
  readonly telephony: Telephony;
  readonly media: Media;
  readonly audioStreams?: Pick<AudioStreams, 'press'>;
}

type Legs = Pick<Sessions<CallLeg, CallLegInput>, 'peek' | 'send'>;

/** Turns notices of signalling and of the media engine into inputs of the leg. */
export function listenToLegs(
  deps: NoticeDeps,
  legs: Legs,
  offers: Offers,
  hangUp: (leg: string, end: CallEnd) => void,
): void {
  const { telephony } = deps;
  listenToMedia(deps, legs, hangUp);
  telephony.listenToKeys?.((key) => {
    const { leg, digit, durationMs } = key;
    if (legs.peek(leg) === undefined) return;
    legs.send(leg, { type: 'leg-digit', digit, heard: { as: 'info', durationMs } });
    deps.audioStreams?.press(key);
  });
  telephony.listen((notice) => {
    if (notice.type === 'leg-offered') return offers.arrived(notice);
    if (offers.isKept(notice)) return;
    if (notice.type === 'leg-ended') legs.send(notice.leg, endedInput(notice));
    else legs.send(notice.leg, notice);
  });
}

/** The engine also has the legs of sandbox phones, which are ignored. */
function listenToMedia({ media }: NoticeDeps, legs: Legs, hangUp: (leg: string, end: CallEnd) => void): void {
  media.subscribe((notice) => {
    switch (notice.type) {
      case 'media-silent':
        // docs/interface/calls.md#limits: an answered phone that has sent nothing for 60 s (a limit of the engine) is gone.
        // A phone that has not answered may be silent.
        if (legs.peek(notice.leg)?.phase === 'answered') hangUp(notice.leg, callEnds(6020, 'Service'));
        return;
      case 'media-lost':
        if (legs.peek(notice.leg) !== undefined) hangUp(notice.leg, callEnds(5010, 'Error'));
        return;
      case 'digit':
        if (legs.peek(notice.leg) !== undefined) {
          const { leg, digit, durationMs } = notice;
          legs.send(leg, { type: 'leg-digit', digit, heard: { as: 'event', durationMs } });
        }
        return;
      case 'voice':
        if (legs.peek(notice.leg) !== undefined) {
          legs.send(notice.leg, { type: 'leg-voice', speaking: notice.speaking });
        }
    }
  });
}
