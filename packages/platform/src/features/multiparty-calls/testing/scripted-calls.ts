import assert from 'node:assert/strict';
import {
  type CallEnd,
  type Calls,
  callEnds,
  type LegOwner,
  type LiveLeg,
  type OutboundLeg,
  type OwnedLegNotice,
} from '../../calls/index.ts';

/** The calls feature as its owners see it, with phones that the test controls. */
export interface ScriptedCalls extends Calls {
  /** In the order of dialling. */
  readonly dialled: readonly OutboundLeg[];
  /** Leg → with which end it was hung up. */
  readonly hungUp: ReadonlyMap<string, CallEnd>;
  /** The notices to owners of kind `document`, in order. */
  readonly toldDocuments: readonly OwnedLegNotice[];
  /** A call that runs a document, from a phone outside. */
  callIn(leg: string, as?: Partial<LiveLeg>): string;
  ring(leg: string): void;
  answer(leg: string): void;
  /** The phone presses a key; the owner of the leg is notified. */
  press(leg: string, digit: string): void;
  speak(leg: string, speaking: boolean): void;
  /** The phone hangs up, or refuses. */
  leave(leg: string, end?: CallEnd): void;
  /** The next `dial` rejects, as when its record cannot be written. */
  failNextDial(): void;
  /** Runs in the middle of the next `take` or `lend`, before its notice. */
  duringNextHandOver(act: () => Promise<unknown>): void;
}

const dialling = {
  direction: 'outbound',
  phase: 'dialling',
  initiatedAt: 0,
  answeredAt: null,
  parentLeg: null,
  headers: {},
  isPrivate: false,
} as const;

interface ScriptedLeg extends LiveLeg {
  readonly borrower: LegOwner | null;
}

export function createScriptedCalls(): ScriptedCalls {
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const dialled: OutboundLeg[] = [];
  const hungUp = new Map<string, CallEnd>();
  const toldDocuments: OwnedLegNotice[] = [];
  const legs = new Map<string, ScriptedLeg>();
  const known = new Set<string>();
  let fails = false;
  let meanwhile: (() => Promise<unknown>) | undefined;
  owners.set('document', (_owner, notice) => toldDocuments.push(notice));

  function tellOwner(owner: LegOwner | null, notice: OwnedLegNotice): void {
    if (owner !== null) owners.get(owner.kind)?.(owner.id, notice);
  }

  function notify(leg: string, notice: OwnedLegNotice): void {
    assert.ok(known.has(leg), `${leg} was never dialled`);
    const call = legs.get(leg);
    tellOwner(call?.borrower ?? call?.owner ?? null, notice);
  }

  function end(leg: string, cause: CallEnd): void {
    const call = legs.get(leg);
    if (call === undefined) return;
    legs.delete(leg);
    const notice = { type: 'leg-ended', leg, end: cause, durationSeconds: 0 } as const;
    tellOwner(call.borrower, notice);
    tellOwner(call.owner, notice);
  }

  function begin(leg: LiveLeg): void {
    known.add(leg.leg);
    legs.set(leg.leg, { ...leg, borrower: null });
  }

  function change(leg: string, changes: Partial<ScriptedLeg>): void {
    const call = legs.get(leg);
    if (call !== undefined) legs.set(leg, { ...call, ...changes });
  }

  async function handOver(): Promise<void> {
    const act = meanwhile;
    meanwhile = undefined;
    await act?.();
  }

  return {
    dialled,
    hungUp,
    toldDocuments,
    ownedBy: (kind, hear) => owners.set(kind, hear),
    offeredTo() {},
    openEarly() {},
    async dial(leg) {
      if (fails) {
        fails = false;
        throw new Error('the disk is full');
      }
      dialled.push(leg);
      begin({ ...dialling, ...leg, ...leg.spec, requestUuid: leg.requestUuid ?? leg.leg });
    },
    hangUp(leg, cause) {
      if (hungUp.has(leg)) return;
      hungUp.set(leg, cause);
      // Signalling confirms later, never inside the order.
      queueMicrotask(() => end(leg, cause));
    },
    async take(leg, owner) {
      await handOver();
      const call = legs.get(leg);
      if (call === undefined) return false;
      tellOwner(call.borrower, { type: 'leg-taken', leg });
      tellOwner(call.owner, { type: 'leg-taken', leg });
      change(leg, { owner, borrower: null });
      tellOwner(owner, { type: 'leg-given', leg });
      return true;
    },
    async lend(leg, borrower) {
      await handOver();
      const call = legs.get(leg);
      if (call === undefined || call.borrower !== null || call.owner === null) return false;
      change(leg, { borrower });
      return true;
    },
    giveBack(leg, borrower, fields) {
      const call = legs.get(leg);
      if (call === undefined || call.borrower?.id !== borrower.id) return;
      change(leg, { borrower: null });
      tellOwner(call.owner, { type: 'leg-returned', leg, fields });
    },
    peek: (leg) => legs.get(leg),
    partnerOf: () => undefined,
    ...{ whenAnswered() {}, whenOver() {} },
    parametersOf: () => ({}),
    callIn(leg, as = {}) {
      begin({
        leg,
        account: 'MA',
        mainAccount: 'MA',
        direction: 'inbound',
        owner: { kind: 'document', id: leg },
        from: '+12025550111',
        to: '+12025550222',
        callerName: 'Caller',
        phase: 'answered',
        initiatedAt: 0,
        answeredAt: 0,
        requestUuid: leg,
        parentLeg: null,
        headers: {},
        isPrivate: false,
        ...as,
      });
      return leg;
    },
    ring: (leg) => notify(leg, { type: 'leg-ringing', leg }),
    answer(leg) {
      change(leg, { phase: 'answered' });
      notify(leg, { type: 'leg-answered', leg });
    },
    press: (leg, digit) => notify(leg, { type: 'leg-digit', leg, digit }),
    speak: (leg, speaking) => notify(leg, { type: 'leg-voice', leg, speaking }),
    leave: (leg, cause = callEnds(4000, 'Call recipient')) => end(leg, cause),
    failNextDial() {
      fails = true;
    },
    duringNextHandOver(act) {
      meanwhile = act;
    },
  };
}
