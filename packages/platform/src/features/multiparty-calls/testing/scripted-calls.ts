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
  readonly documentNotices: readonly OwnedLegNotice[];
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
  return new CallsOfTest();
}

class CallsOfTest implements ScriptedCalls {
  readonly dialled: OutboundLeg[] = [];
  readonly hungUp = new Map<string, CallEnd>();
  readonly documentNotices: OwnedLegNotice[] = [];
  readonly #owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>([
    ['document', (_owner, notice) => this.documentNotices.push(notice)],
  ]);
  readonly #legs = new Map<string, ScriptedLeg>();
  readonly #known = new Set<string>();
  #fails = false;
  #meanwhile: (() => Promise<unknown>) | undefined;

  ownedBy: Calls['ownedBy'] = (kind, hear) => this.#owners.set(kind, hear);
  offeredTo(): void {}
  openEarly(): void {}
  whenAnswered(): void {}
  whenOver(): void {}
  partnerOf: Calls['partnerOf'] = () => undefined;
  parametersOf: Calls['parametersOf'] = () => ({});
  peek: Calls['peek'] = (leg) => this.#legs.get(leg);
  livesElsewhere: Calls['livesElsewhere'] = async () => false;

  dial: Calls['dial'] = async (leg) => {
    if (this.#fails) {
      this.#fails = false;
      throw new Error('the disk is full');
    }
    this.dialled.push(leg);
    this.#begin({ ...dialling, ...leg, ...leg.spec, requestUuid: leg.requestUuid ?? leg.leg });
  };

  hangUp: Calls['hangUp'] = (leg, cause) => {
    if (this.hungUp.has(leg)) return;
    this.hungUp.set(leg, cause);
    // Signalling confirms later, never inside the order.
    queueMicrotask(() => this.#end(leg, cause));
  };

  take: Calls['take'] = async (leg, owner) => {
    await this.#handOver();
    const call = this.#legs.get(leg);
    if (call === undefined) return false;
    this.#notifyOwner(call.borrower, { type: 'leg-taken', leg });
    this.#notifyOwner(call.owner, { type: 'leg-taken', leg });
    this.#change(leg, { owner, borrower: null });
    this.#notifyOwner(owner, { type: 'leg-given', leg });
    return true;
  };

  lend: Calls['lend'] = async (leg, borrower) => {
    await this.#handOver();
    const call = this.#legs.get(leg);
    if (call === undefined || call.borrower !== null || call.owner === null) return false;
    this.#change(leg, { borrower });
    return true;
  };

  giveBack: Calls['giveBack'] = (leg, borrower, fields) => {
    const call = this.#legs.get(leg);
    if (call === undefined || call.borrower?.id !== borrower.id) return;
    this.#change(leg, { borrower: null });
    this.#notifyOwner(call.owner, { type: 'leg-returned', leg, fields });
  };

  callIn: ScriptedCalls['callIn'] = (leg, as = {}) => {
    this.#begin({
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
  };

  ring: ScriptedCalls['ring'] = (leg) => this.#notify(leg, { type: 'leg-ringing', leg });
  answer: ScriptedCalls['answer'] = (leg) => {
    this.#change(leg, { phase: 'answered' });
    this.#notify(leg, { type: 'leg-answered', leg });
  };
  press: ScriptedCalls['press'] = (leg, digit) => this.#notify(leg, { type: 'leg-digit', leg, digit });
  speak: ScriptedCalls['speak'] = (leg, speaking) => this.#notify(leg, { type: 'leg-voice', leg, speaking });
  leave: ScriptedCalls['leave'] = (leg, cause = callEnds(4000, 'Call recipient')) => this.#end(leg, cause);
  failNextDial: ScriptedCalls['failNextDial'] = () => {
    this.#fails = true;
  };
  duringNextHandOver: ScriptedCalls['duringNextHandOver'] = (act) => {
    this.#meanwhile = act;
  };

  #notifyOwner(owner: LegOwner | null, notice: OwnedLegNotice): void {
    if (owner !== null) this.#owners.get(owner.kind)?.(owner.id, notice);
  }

  #notify(leg: string, notice: OwnedLegNotice): void {
    assert.ok(this.#known.has(leg), `${leg} was never dialled`);
    const call = this.#legs.get(leg);
    this.#notifyOwner(call?.borrower ?? call?.owner ?? null, notice);
  }

  #end(leg: string, cause: CallEnd): void {
    const call = this.#legs.get(leg);
    if (call === undefined) return;
    this.#legs.delete(leg);
    const notice = { type: 'leg-ended', leg, end: cause, durationSeconds: 0 } as const;
    this.#notifyOwner(call.borrower, notice);
    this.#notifyOwner(call.owner, notice);
  }

  #begin(leg: LiveLeg): void {
    this.#known.add(leg.leg);
    this.#legs.set(leg.leg, { ...leg, borrower: null });
  }

  #change(leg: string, changes: Partial<ScriptedLeg>): void {
    const call = this.#legs.get(leg);
    if (call !== undefined) this.#legs.set(leg, { ...call, ...changes });
  }

  async #handOver(): Promise<void> {
    const act = this.#meanwhile;
    this.#meanwhile = undefined;
    await act?.();
  }
}
