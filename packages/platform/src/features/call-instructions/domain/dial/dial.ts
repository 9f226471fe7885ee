import {
  type CallEnd,
  type Instant,
  type LegSpec,
  legSpec,
  type Sound,
  type TimerFired,
} from '@jackfield/ports';
import type { KernelEffect } from '../../../../kernel/kernel-effects.ts';
import type { Dial, DialDestination } from '../instruction.ts';
import type { DialStatus } from './dial-outcome.ts';

/**
 * One Dial element as it runs, embedded in the document that contains it:
 *
 *   fresh ──begin──→ ringing ──first to answer (and confirm)──→ connecting ──caller answered──→ bridged
 *     └────────────────┴───── no leg left, given up ──────────────────┴── B left, time limit, * ──┴──→ over
 *
 * Over means that the document continues: notices of a leg that was hung up change nothing.
 *
 * The connected leg can have a successor, which replaces it when it answers: a transfer by that phone. When the leg leaves before,
 * the dial is connecting again; when the successor fails, nothing changes.
 */
export interface DialState {
  readonly dial: Dial;
  readonly context: DialContext;
  readonly phase: 'fresh' | 'ringing' | 'connecting' | 'bridged' | 'over';
  /** One for each destination, in its order. */
  readonly legs: readonly DialledLeg[];
  /** The leg that is, or was, to be connected. */
  readonly winner: string | null;
  readonly callerAnswered: boolean;
  /** An audio path to the caller is open: answered, or early media. */
  readonly callerListens: boolean;
  /**
   * The caller's audio during the ringing; `opening`: music that waits for early media. `phone`: the early media of the leg `heard`,
   * as soon as an audio path to the caller is open.
   */
  readonly callerHears: 'nothing' | 'rung' | 'opening' | 'music' | 'ringback' | 'phone';
  /** The leg whose early media the caller gets. */
  readonly heard: string | null;
  readonly rang: boolean;
  /** How often generated ringback has begun. */
  readonly ringbacks: number;
  /** Digits since the bridge, no more than the longest sequence of `digitsMatch`. */
  readonly pressed: { readonly aLeg: string; readonly bLeg: string };
  /** Set when it is over. */
  readonly outcome: { readonly status: DialStatus; readonly end: CallEnd | null } | null;
}

export interface DialContext {
  readonly aLeg: string;
  readonly aLegAnswered: boolean;
  /** Early media is open already (PreAnswer). */
  readonly aLegEarly?: boolean;
  /** `from` of the A leg. */
  readonly callerId: string;
  readonly callerName: string;
  /** Call UUIDs, one for each destination. */
  readonly legs: readonly string[];
  readonly requestUuid?: string;
}

export interface DialledLeg {
  readonly leg: string;
  readonly spec: LegSpec;
  readonly phase: 'fresh' | 'dialling' | 'confirming' | 'chosen' | 'succeeding' | 'ended';
  readonly answeredAt: Instant | null;
  /** Its phone sends audio before it has answered. */
  readonly isEarly: boolean;
  /** `confirmSound` is played to it. */
  readonly hearsSound: boolean;
  /** Why it ended, by itself or by our order. */
  readonly end: CallEnd | null;
}

export type DialInput =
  | { readonly type: 'begin' }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-early'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | {
      readonly type: 'leg-ended';
      readonly leg: string;
      readonly end: CallEnd;
      readonly durationSeconds: number;
    }
  /** Of the A leg or of a B leg. */
  | { readonly type: 'leg-digit'; readonly leg: string; readonly digit: string }
  | { readonly type: 'play-over'; readonly play: string }
  /** Another leg is to replace the connected one; it is being dialled, or in another conversation, without this dial. */
  | { readonly type: 'leg-succeeding'; readonly leg: string; readonly from: string; readonly to: string }
  /** Early media was opened to the caller (`leg-early` of the A leg). */
  | { readonly type: 'caller-early' }
  | { readonly type: 'caller-answered' }
  /** The A leg ended or the run was replaced; `Caller` when left out. */
  | { readonly type: 'give-up'; readonly source?: CallEnd['source'] }
  | TimerFired;

export type DialEffect =
  | { readonly do: 'dial-leg'; readonly leg: string; readonly spec: LegSpec }
  | { readonly do: 'hang-up-leg'; readonly leg: string; readonly end: CallEnd }
  | { readonly do: 'ring-caller' }
  | { readonly do: 'early-caller' }
  | { readonly do: 'answer-caller' }
  /** `play` is unique among all plays: it contains the UUID of a leg that is dialled once. */
  | {
      readonly do: 'play';
      readonly play: string;
      readonly to: readonly string[];
      readonly items: readonly DialSound[];
      /** 0 repeats until stopped. */
      readonly loop: number;
    }
  | { readonly do: 'stop-play'; readonly play: string }
  /** The A leg hears this leg, which hears nothing: a phone that has not answered gets no audio. */
  | { readonly do: 'overhear'; readonly leg: string }
  /** Joins the A leg and this leg. */
  | { readonly do: 'bridge'; readonly leg: string }
  /** Undoes both. */
  | { readonly do: 'unbridge' }
  /** A callback to `callbackUrl`; only for an element with that URL. */
  | { readonly do: 'report'; readonly parameters: Readonly<Record<string, string>> }
  | Extract<KernelEffect, { readonly do: 'start-timer' | 'cancel-timer' }>;

/** The kinds of play item (features/sounds/index.ts) that a dial needs. */
export type DialSound =
  | { readonly kind: 'file'; readonly url: string }
  | { readonly kind: 'built-in'; readonly sound: Extract<Sound, { kind: 'ringback' }> };

/** A dial before `begin`. Throws unless there is one leg for each destination. */
export function newDial(dial: Dial, context: DialContext): DialState {
  if (context.legs.length !== dial.destinations.length) {
    throw new Error(`${dial.destinations.length} destinations need as many legs, not ${context.legs.length}`);
  }
  return {
    dial,
    context,
    phase: 'fresh',
    legs: dial.destinations.map((destination, index) => ({
      leg: context.legs[index] as string,
      spec: specOf(dial, destination, context),
      phase: 'fresh',
      answeredAt: null,
      isEarly: false,
      hearsSound: false,
      end: null,
    })),
    winner: null,
    callerAnswered: context.aLegAnswered,
    callerListens: context.aLegAnswered || context.aLegEarly === true,
    callerHears: 'nothing',
    heard: null,
    rang: false,
    ringbacks: 0,
    pressed: { aLeg: '', bLeg: '' },
    outcome: null,
  };
}

/** Beyond the dial's own time limit, which begins when the caller has answered as well. */
const secondsToConnect = 60;

/** The leg to a destination of the element; a caller ID of the document is its own caller name. */
function specOf(dial: Dial, destination: DialDestination, context: DialContext): LegSpec {
  const { kind: _, callerId, ...requested } = destination;
  const from = callerId ?? dial.callerId ?? context.callerId;
  return legSpec({
    ...requested,
    from,
    callerName: dial.callerName ?? (from === context.callerId ? context.callerName : from),
    ringTimeoutSeconds: dial.timeoutSeconds,
    // A backstop: the dial's own limit counts from the bridge, this one from the answer of the leg.
    timeLimitSeconds: dial.timeLimitSeconds + dial.confirmTimeoutSeconds + secondsToConnect,
    sipHeaders: { ...dial.sipHeaders, ...destination.sipHeaders },
    ...(dial.machineDetection === undefined ? {} : { machineDetection: dial.machineDetection }),
  });
}

/** True as soon as the document can continue; every leg has ended or was hung up, and no timer is left. */
export function isDialOver(state: DialState): boolean {
  return state.phase === 'over';
}

/** The fields of the request to `action` (docs/interface/documents.md#dial); throws while the dial runs. */
export function dialResultOf(state: DialState): Readonly<Record<string, string>> {
  if (state.outcome === null) throw new Error('a dial has a result when it is over');
  const { status, end } = state.outcome;
  return {
    DialStatus: status,
    DialRingStatus: String(state.rang),
    DialHangupCause: end?.name ?? '',
    DialALegUUID: state.context.aLeg,
    // Empty when no leg was connected.
    DialBLegUUID: state.winner ?? '',
  };
}
