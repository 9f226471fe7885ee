import assert from 'node:assert/strict';
import {
  type CallEnd,
  type Calls,
  callEnds,
  type OutboundLeg,
  type OwnedLegNotice,
} from '../../calls/index.ts';

/** The calls feature as its owners see it, with phones that do what the test says. */
export interface ScriptedCalls extends Calls {
  /** In the order of dialling. */
  readonly dialled: readonly OutboundLeg[];
  /** Leg → with which end it was hung up. */
  readonly hungUp: ReadonlyMap<string, CallEnd>;
  ring(leg: string): void;
  answer(leg: string): void;
  /** The phone hangs up, or refuses. */
  leave(leg: string, end?: CallEnd): void;
  /** The next `dial` rejects, as when its record cannot be written. */
  failNextDial(): void;
}

export function createScriptedCalls(): ScriptedCalls {
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const dialled: OutboundLeg[] = [];
  const hungUp = new Map<string, CallEnd>();
  const ended = new Set<string>();
  let fails = false;

  function tell(leg: string, notice: OwnedLegNotice): void {
    const call = dialled.find((each) => each.leg === leg);
    assert.ok(call, `${leg} was never dialled`);
    owners.get(call.owner.kind)?.(call.owner.id, notice);
  }

  function end(leg: string, cause: CallEnd): void {
    if (ended.has(leg)) return;
    ended.add(leg);
    tell(leg, { type: 'leg-ended', leg, end: cause, durationSeconds: 0 });
  }

  return {
    dialled,
    hungUp,
    ownedBy: (kind, hear) => owners.set(kind, hear),
    async dial(leg) {
      if (fails) {
        fails = false;
        throw new Error('the disk is full');
      }
      dialled.push(leg);
    },
    hangUp(leg, cause) {
      if (hungUp.has(leg)) return;
      hungUp.set(leg, cause);
      // Signalling confirms later, never inside the order.
      queueMicrotask(() => end(leg, cause));
    },
    ring: (leg) => tell(leg, { type: 'leg-ringing', leg }),
    answer: (leg) => tell(leg, { type: 'leg-answered', leg }),
    leave: (leg, cause = callEnds(4000, 'Call recipient')) => end(leg, cause),
    failNextDial() {
      fails = true;
    },
  };
}
