/**
 * A leg as its owner requests it. It is made once, at the route, the participant or the Dial element, and carried whole to signalling, which
 * reads it when it builds the INVITE.
 */
export interface LegSpec {
  /**
   * The caller that the callee sees: a number in E.164, a SIP user, or the SIP URI of an external caller, whose host registered phones see
   * as well.
   */
  readonly from: string;
  /** The caller's display name; empty for none. */
  readonly callerName: string;
  /** The callee: a number in E.164 with or without `+`, the username of an endpoint, or its SIP URI. */
  readonly to: string;
  /** Extra headers of the INVITE, by their names without `X-PH-`. */
  readonly sipHeaders: Readonly<Record<string, string>>;
  /** Seconds that the phone may ring. */
  readonly ringTimeoutSeconds: number;
  /** Seconds from the answer on. Carriers' spend caps reserve the cost of all of them. */
  readonly timeLimitSeconds: number;
  /** Keys that are pressed as soon as the leg is answered; `w` waits 0.5 s, `W` 1 s; empty for none. */
  readonly sendDigits: string;
  /** The keys are pressed when the leg has early media, if it has any before its answer. */
  readonly sendOnPreanswer: boolean;
  /** Whether a person or an answering machine has answered is detected. */
  readonly machineDetection?: MachineDetection;
}

/** The detection of answering machines on one leg. */
export interface MachineDetection {
  /** A machine is hung up. */
  readonly hangsUp: boolean;
  /** Milliseconds from the answer; without a decision until then, a person has answered. */
  readonly timeMs: number;
  /** Receives the result; null where no URL was given. */
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
}

/** Both ends of a leg. */
export type LegParties = Pick<LegSpec, 'from' | 'callerName' | 'to'>;

/** Limits of a leg without limits of its own: docs/interface/calls.md#making-a-call `ring_timeout` and `time_limit`. */
export const defaultLegLimits = { ringTimeoutSeconds: 120, timeLimitSeconds: 14_400 } as const;

/** The specification with the parts that the request names, and defaults for the others. */
export function legSpec(request: LegParties & Partial<LegSpec>): LegSpec {
  return { sipHeaders: {}, ...defaultLegLimits, sendDigits: '', sendOnPreanswer: false, ...request };
}
