import { type CallEnd, callEnds, type Logger, type Media } from '@jackfield/ports';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import {
  adoptedCall,
  type DirectCall,
  type DirectCallEffect,
  type DirectCallInput,
  directCallMachine,
  isDirectCallOver,
  isReplaceable,
  newDirectCall,
  type RequestedCall,
} from '../domain/direct-call.ts';
import type { Conversations, LegOwner, OutboundLeg, OwnedLegNotice } from '../public-api.ts';
import type { LegOrders } from './leg-orders.ts';
import { statusOfFault } from './status-of-fault.ts';

export interface DirectCallsDeps {
  readonly runner: SessionRunner;
  readonly media: Media;
  readonly log: Logger;
  readonly newUuid: () => string;
  readonly dial: (leg: OutboundLeg) => Promise<void>;
  readonly ring: (leg: string) => void;
  readonly openEarly: (leg: string) => void;
  readonly answer: (leg: string) => void;
  readonly hangUp: (leg: string, end: CallEnd) => void;
  readonly refuse: LegOrders['refuse'];
  readonly take: (leg: string, owner: LegOwner) => Promise<boolean>;
}

/** The play for a phone that is to replace another one. */
const ringbackKey = 'ringback';

export interface DirectCalls {
  readonly ownerKind: string;
  readonly notify: (owner: string, notice: OwnedLegNotice) => void;
  readonly conversations: Conversations;
  readonly whenHandled: (owner: string) => Promise<void>;
  /** Opens the call so that it gets every notice of its caller's leg. */
  open(callerLeg: string, requested: RequestedCall): Promise<void>;
  /** Dials the callee, unless the caller has gone meanwhile. */
  begin(callerLeg: string): void;
  /** Takes two answered legs from their owners and joins them; gives their new owner. */
  adopt(callerLeg: string, calleeLeg: string): Promise<LegOwner>;
}

/** Calls of an endpoint to another phone, joined leg to leg; each is named by the leg that its first caller had. */
export function createDirectCalls(deps: DirectCallsDeps): DirectCalls {
  const ownerKind = 'direct-call';

  const calls = deps.runner.define<DirectCall, DirectCallInput, DirectCallEffect>({
    name: ownerKind,
    machine: directCallMachine,
    isEnded: isDirectCallOver,
    perform(call, effect) {
      switch (effect.do) {
        case 'dial-callee':
          return dialCallee(call, effect.leg, effect.requested);
        case 'ring-caller':
          return deps.ring(call);
        case 'early-caller':
          return deps.openEarly(call);
        case 'answer-caller':
          return deps.answer(call);
        case 'bridge':
          return bridge(deps.media, call, effect.legs);
        case 'ringback':
          return ringBack(deps.media, call, effect.leg);
        case 'overhear':
          return overhear(deps.media, call, effect.leg, effect.other);
        case 'unbridge':
          return deps.media.send({ do: 'close-mix', mix: call });
        case 'hang-up':
          return deps.hangUp(effect.leg, effect.end);
        case 'refuse-caller':
          return deps.refuse(call, effect.end, effect.status);
      }
    },
  });

  function dialCallee(callerLeg: string, leg: string, requested: RequestedCall): void {
    deps
      .dial({
        leg,
        ...requested,
        owner: { kind: ownerKind, id: callerLeg },
        parentLeg: callerLeg,
      })
      .catch((error: unknown) => {
        deps.log.error({ leg, err: error }, 'leg to the callee not recorded');
        calls.send(callerLeg, { type: 'not-dialled', status: statusOfFault(error) });
      });
  }

  const conversations: Conversations = {
    partnerOf(owner, leg) {
      const call = calls.peek(owner);
      if (call?.sound !== 'bridge') return undefined;
      if (leg === call.callerLeg) return call.calleeLeg;
      return leg === call.calleeLeg ? call.callerLeg : undefined;
    },
    departureOf(owner, leg) {
      const call = calls.peek(owner);
      return call !== undefined && isReplaceable(call, leg) ? 'replaceable' : undefined;
    },
    succeed: async (owner, { leg, replaces }) =>
      (await calls.ask<boolean>(owner, { type: 'succeed', leg, replaces })) ?? false,
    release: async () => false,
  };

  return {
    ownerKind,
    conversations,
    notify(owner, notice) {
      switch (notice.type) {
        case 'leg-ringing':
        case 'leg-early':
        case 'leg-answered':
        case 'leg-given':
        case 'leg-taken':
        case 'leg-ended':
          calls.send(owner, notice);
      }
    },
    whenHandled: calls.whenHandled,
    open: (callerLeg, requested) =>
      calls.open(callerLeg, newDirectCall(requested, callerLeg, deps.newUuid()), { type: 'opened' }),
    begin: (callerLeg) => calls.send(callerLeg, { type: 'begin' }),
    async adopt(callerLeg, calleeLeg) {
      const id = deps.newUuid();
      const owner = { kind: ownerKind, id };
      // The session is open first, so that it gets every notice from the take on.
      await calls.open(id, adoptedCall(callerLeg, calleeLeg), { type: 'opened' });
      const legs = [callerLeg, calleeLeg];
      const taken = await Promise.all(legs.map((leg) => deps.take(leg, owner).catch(() => false)));
      for (const [index, leg] of legs.entries()) {
        if (!taken[index]) calls.send(id, { type: 'leg-ended', leg, end: callEnds(4000, 'Service') });
      }
      calls.send(id, { type: 'adopt' });
      return owner;
    },
  };
}

function bridge(media: Media, mix: string, [one, other]: readonly [string, string]): void {
  media.send({ do: 'open-mix', mix });
  media.send({
    do: 'set-hearing',
    mix,
    members: [
      { leg: one, hears: [other] },
      { leg: other, hears: [one] },
    ],
  });
}

function overhear(media: Media, mix: string, leg: string, other: string): void {
  media.send({ do: 'open-mix', mix });
  media.send({
    do: 'set-hearing',
    mix,
    members: [
      { leg, hears: [other] },
      { leg: other, hears: [] },
    ],
  });
}

function ringBack(media: Media, mix: string, leg: string): void {
  media.send({ do: 'open-mix', mix });
  media.send({ do: 'set-hearing', mix, members: [{ leg, hears: [] }] });
  media.send({ do: 'play', mix, key: ringbackKey, to: [leg], sound: { kind: 'ringback' }, loop: true });
}
