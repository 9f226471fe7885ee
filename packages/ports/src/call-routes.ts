import type { DialRequest, DialTarget, LegEnd } from './telephony.ts';

/** Calls that are tried at several targets, one after another; implemented by the features that own the targets. */
export interface CallRoutes {
  /** Of whose targets; legs are counted by it. */
  readonly owner: RouteOwner;
  /** Undefined for a call that goes elsewhere. Asked once for each dial request. */
  routeOf(request: DialRequest): CallRoute | undefined;
}

/** Owners of routes. */
export type RouteOwner = 'carriers' | 'trunks';

/** The targets of one call, and what their owner says and hears of each try. Targets are named by their index. */
export interface CallRoute {
  /** In the order in which they are tried; without any the call ends with `no-route`. */
  readonly targets: readonly RouteTarget[];
  /**
   * Asked before a target is called. Undefined lets the call go there, and `settle` follows once; an end passes the target over, and is how the
   * call ends where no target is called. Absent where nothing is reserved.
   */
  reserve?(at: number): LegEnd | undefined | Promise<LegEnd | undefined>;
  /** The try is over, and what was reserved for it is free; `answeredMs` is 0 where nobody answered. */
  settle?(at: number, answeredMs: number): void;
  /** A target that was called did not take the call: it goes on to the next one, where there is one. */
  failed(at: number, failure: TargetFailure): void;
}

/** One target of a route. */
export interface RouteTarget {
  readonly target: DialTarget;
  /** What it sees as the caller; that of the request when absent. */
  readonly callerUser?: string;
  /** One that has not rung for so long loses the call. Without it the ring timeout of the call is the only one. */
  readonly ringingWithinMs?: number;
  /** The carrier that the end of the leg names. */
  readonly carrier?: string;
}

/** Why a target did not take a call. */
export interface TargetFailure {
  readonly because: 'rejected' | 'silent' | 'transport-failed';
  /** Of a rejection. */
  readonly sipStatus?: number;
}
