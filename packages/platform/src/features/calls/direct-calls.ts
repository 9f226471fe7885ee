import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Media } from '../../ports/media.ts';
import {
  type DirectCall,
  type DirectCallEffect,
  type DirectCallInput,
  directCallMachine,
  isDirectCallOver,
  newDirectCall,
  type WantedCall,
} from './domain/direct-call.ts';
import { type CallEnd, callEnds } from './domain/hangup-cause.ts';
import type { OutboundLeg, OwnedLegNotice } from './owned-leg.ts';

export interface DirectCallsDeps {
  readonly runner: SessionRunner;
  readonly media: Media;
  readonly log: Logger;
  readonly newUuid: () => string;
  readonly dial: (leg: OutboundLeg) => Promise<void>;
  readonly ring: (leg: string) => void;
  readonly answer: (leg: string) => void;
  readonly hangUp: (leg: string, end: CallEnd) => void;
}

/** Seconds that a directly called phone may ring: the default of an outbound call in conventions.md §12.2. */
const ringTimeoutSeconds = 120;

export interface DirectCalls {
  readonly ownerKind: string;
  readonly tell: (owner: string, notice: OwnedLegNotice) => void;
  /** Opens the call so that it hears of its caller's leg from that leg's first notice on. */
  open(callerLeg: string, wanted: WantedCall): Promise<void>;
  /** Dials the callee, unless the caller has gone meanwhile. */
  begin(callerLeg: string): void;
}

/** Calls of an endpoint to another phone, joined leg to leg; each is named by its caller's leg. */
export function createDirectCalls(deps: DirectCallsDeps): DirectCalls {
  const ownerKind = 'direct-call';

  const calls = deps.runner.define<DirectCall, DirectCallInput, DirectCallEffect>({
    name: ownerKind,
    machine: directCallMachine,
    isEnded: isDirectCallOver,
    perform(callerLeg, effect) {
      switch (effect.do) {
        case 'dial-callee':
          return dialCallee(callerLeg, effect.leg, effect.wanted);
        case 'ring-caller':
          return deps.ring(callerLeg);
        case 'answer-caller':
          return deps.answer(callerLeg);
        case 'bridge':
          return bridge(deps.media, callerLeg, effect.callee);
        case 'unbridge':
          return deps.media.send({ do: 'close-mix', mix: callerLeg });
        case 'hang-up':
          return deps.hangUp(effect.leg, effect.end);
      }
    },
  });

  function dialCallee(callerLeg: string, leg: string, wanted: WantedCall): void {
    deps
      .dial({
        leg,
        ...wanted,
        owner: { kind: ownerKind, id: callerLeg },
        parentLeg: callerLeg,
        ringTimeoutSeconds,
        sipHeaders: {},
      })
      .catch((error: unknown) => {
        deps.log.error({ leg, err: error }, 'The leg to the callee could not be recorded.');
        calls.send(callerLeg, { type: 'leg-ended', leg, end: callEnds(5010, 'Error') });
      });
  }

  return {
    ownerKind,
    tell(owner, notice) {
      switch (notice.type) {
        case 'leg-ringing':
        case 'leg-answered':
        case 'leg-taken':
        case 'leg-ended':
          calls.send(owner, notice);
      }
    },
    open: (callerLeg, wanted) =>
      calls.open(callerLeg, newDirectCall(wanted, callerLeg, deps.newUuid()), { type: 'opened' }),
    begin: (callerLeg) => calls.send(callerLeg, { type: 'begin' }),
  };
}

function bridge(media: Media, callerLeg: string, calleeLeg: string): void {
  media.send({ do: 'open-mix', mix: callerLeg });
  media.send({
    do: 'set-hearing',
    mix: callerLeg,
    members: [
      { leg: callerLeg, hears: [calleeLeg] },
      { leg: calleeLeg, hears: [callerLeg] },
    ],
  });
}
