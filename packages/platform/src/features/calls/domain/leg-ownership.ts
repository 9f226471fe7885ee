import type { Step } from '@jackfield/ports';
import type { CallLeg, CallLegEffect, CallLegInput, OwnerNotice } from './call-leg.ts';
import type { LegCallbacks, LegOwner } from './leg-owner.ts';

type LegStep = Step<CallLeg, CallLegEffect>;
type Input<Type extends CallLegInput['type']> = Extract<CallLegInput, { readonly type: Type }>;

/** Notices that are kept for the owner of an offered leg; a caller may press many keys before. */
const missedLimit = 64;

export const limitTimer = 'time-limit';

/** Notifies the borrower, else the owner, else keeps the notice for the later owner. */
export function notifyListener(leg: CallLeg, notice: OwnerNotice): LegStep {
  const listener = leg.borrower ?? leg.owner;
  if (listener !== null) return { state: leg, effects: [notify(listener, notice)] };
  if (leg.missed === null || leg.missed.length >= missedLimit) return { state: leg, effects: [] };
  return { state: { ...leg, missed: [...leg.missed, notice] }, effects: [] };
}

/** Notifies both of the end, the borrower first. */
export function notifyOfEnd(leg: CallLeg, notice: OwnerNotice): LegStep {
  const { owner, borrower, missed } = leg;
  const effects: CallLegEffect[] = [];
  if (borrower !== null) effects.push(notify(borrower, notice));
  if (owner !== null) effects.push(notify(owner, notice));
  if (missed === null) return { state: { ...leg, borrower: null }, effects };
  return { state: { ...leg, missed: [...missed, notice] }, effects };
}

/** The answer to an offer: the owner gets the notices that it has missed, the end included. */
export function offerTaken(leg: CallLeg, input: Input<'offer-taken'>): LegStep {
  const { owner } = input;
  // Another owner took the leg for good before the taker's answer.
  if (leg.missed === null) {
    return { state: leg, effects: [notify(owner, { type: 'leg-taken' }), { do: 'reply', reply: false }] };
  }
  const state: CallLeg = {
    ...leg,
    owner,
    missed: null,
    callbacks: input.callbacks ?? leg.callbacks,
    spec:
      input.timeLimitSeconds === undefined
        ? leg.spec
        : { ...leg.spec, timeLimitSeconds: input.timeLimitSeconds },
  };
  return {
    state,
    effects: [
      ...delayedEvents(state, leg),
      ...leg.missed.map((notice) => notify(owner, notice)),
      { do: 'reply', reply: leg.phase !== 'ended' },
    ],
  };
}

export function take(leg: CallLeg, input: Input<'take'>): LegStep {
  const effects: CallLegEffect[] = [];
  // A borrower may keep the leg for good. An owner that takes its own leg reclaims it from the borrower.
  if (leg.borrower !== null && !isSame(leg.borrower, input.owner)) {
    effects.push(notify(leg.borrower, { type: 'leg-taken' }));
  }
  if (leg.owner !== null && !isSame(leg.owner, input.owner)) {
    effects.push(notify(leg.owner, { type: 'leg-taken' }));
  }
  const isKept = leg.owner === null || isSame(leg.owner, input.owner);
  const callbacks = isKept ? leg.callbacks : withoutDial(leg.callbacks);
  const state: CallLeg = { ...leg, owner: input.owner, borrower: null, missed: null, callbacks };
  effects.push(...delayedEvents(state, leg), notify(input.owner, { type: 'leg-given' }), {
    do: 'reply',
    reply: true,
  });
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
    effects: [notify(owner, { type: 'leg-returned', fields: input.fields })],
  };
}

/** Events that waited for the owner of the leg, and the time limit that the owner sets. */
function delayedEvents(leg: CallLeg, before: CallLeg): readonly CallLegEffect[] {
  if (before.missed === null) return [];
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

function notify(owner: LegOwner, notice: OwnerNotice): CallLegEffect {
  return { do: 'notify-owner', owner, notice };
}

/** The Dial has lost the leg, and has reported so. */
function withoutDial(callbacks: LegCallbacks | null): LegCallbacks | null {
  if (callbacks?.dial === undefined) return callbacks;
  const { dial: _, ...others } = callbacks;
  return others;
}

function isSame(one: LegOwner, other: LegOwner): boolean {
  return one.kind === other.kind && one.id === other.id;
}
