import type { Step } from '@jackfield/ports';
import type { CallLeg, CallLegEffect, CallLegInput, OwnerNotice } from './call-leg.ts';
import type { LegOwner } from './leg-owner.ts';

type LegStep = Step<CallLeg, CallLegEffect>;
type Input<Type extends CallLegInput['type']> = Extract<CallLegInput, { readonly type: Type }>;

/** Who presses keys while nobody owns the leg yet is heard as far as this. */
const unheardLimit = 64;

export const limitTimer = 'time-limit';

/** Tells whoever listens to the leg now: its borrower, else its owner, else the one who will own it. */
export function told(leg: CallLeg, notice: OwnerNotice): LegStep {
  const listener = leg.borrower ?? leg.owner;
  if (listener !== null) return { state: leg, effects: [tell(listener, notice)] };
  if (leg.unheard === null || leg.unheard.length >= unheardLimit) return { state: leg, effects: [] };
  return { state: { ...leg, unheard: [...leg.unheard, notice] }, effects: [] };
}

/** The end is heard by both, the borrower first. */
export function toldOfEnd(leg: CallLeg, notice: OwnerNotice): LegStep {
  const { owner, borrower, unheard } = leg;
  const effects: CallLegEffect[] = [];
  if (borrower !== null) effects.push(tell(borrower, notice));
  if (owner !== null) effects.push(tell(owner, notice));
  if (unheard === null) return { state: { ...leg, borrower: null }, effects };
  return { state: { ...leg, unheard: [...unheard, notice] }, effects };
}

/** The answer to an offer: its owner hears what it has missed, the end too. */
export function offerTaken(leg: CallLeg, input: Input<'offer-taken'>): LegStep {
  const { owner } = input;
  // Somebody took the leg for good while its taker was thinking.
  if (leg.unheard === null) {
    return { state: leg, effects: [tell(owner, { type: 'leg-taken' }), { do: 'reply', reply: false }] };
  }
  const state: CallLeg = {
    ...leg,
    owner,
    unheard: null,
    callbacks: input.callbacks ?? leg.callbacks,
    spec:
      input.timeLimitSeconds === undefined
        ? leg.spec
        : { ...leg.spec, timeLimitSeconds: input.timeLimitSeconds },
  };
  return {
    state,
    effects: [
      ...untold(state, leg),
      ...leg.unheard.map((notice) => tell(owner, notice)),
      { do: 'reply', reply: leg.phase !== 'ended' },
    ],
  };
}

export function take(leg: CallLeg, input: Input<'take'>): LegStep {
  const effects: CallLegEffect[] = [];
  if (leg.borrower !== null) effects.push(tell(leg.borrower, { type: 'leg-taken' }));
  // An owner who takes its own leg calls it back from whom it lent it to.
  if (leg.owner !== null && !isSame(leg.owner, input.owner)) {
    effects.push(tell(leg.owner, { type: 'leg-taken' }));
  }
  const state: CallLeg = { ...leg, owner: input.owner, borrower: null, unheard: null };
  effects.push(...untold(state, leg), tell(input.owner, { type: 'leg-given' }), { do: 'reply', reply: true });
  return { state, effects };
}

export function lend(leg: CallLeg, input: Input<'lend'>): LegStep {
  if (leg.owner === null || leg.borrower !== null) return refused(leg);
  return { state: { ...leg, borrower: input.borrower }, effects: [{ do: 'reply', reply: true }] };
}

export function giveBack(leg: CallLeg, input: Input<'give-back'>): LegStep {
  const { owner, borrower } = leg;
  if (owner === null || borrower === null || !isSame(borrower, input.borrower)) {
    return { state: leg, effects: [] };
  }
  return {
    state: { ...leg, borrower: null },
    effects: [tell(owner, { type: 'leg-returned', remarks: input.remarks })],
  };
}

/** What the outbox was not told before it was known who wants to hear of it, and the time limit that came with that. */
function untold(leg: CallLeg, before: CallLeg): readonly CallLegEffect[] {
  if (before.unheard === null) return [];
  if (leg.phase === 'ended') {
    const answered = leg.answeredAt === null ? [] : [{ do: 'emit', event: 'answered' } as const];
    return [...answered, { do: 'emit', event: 'ended' }];
  }
  if (leg.phase !== 'answered' || leg.answeredAt === null) return [];
  return [
    { do: 'start-timer', key: limitTimer, at: leg.answeredAt + leg.spec.timeLimitSeconds * 1000 },
    { do: 'emit', event: 'answered' },
  ];
}

export function refused(leg: CallLeg): LegStep {
  return { state: leg, effects: [{ do: 'reply', reply: false }] };
}

function tell(owner: LegOwner, notice: OwnerNotice): CallLegEffect {
  return { do: 'tell-owner', owner, notice };
}

function isSame(one: LegOwner, other: LegOwner): boolean {
  return one.kind === other.kind && one.id === other.id;
}
