import type { DialRequest, DialTarget, LegEnd } from './telephony.ts';

/** Routes of calls to several targets, tried one after another; the features that own the targets implement it. */
export interface CallRoutes {
  /** The owner of the targets; the label of the leg counters. */
  readonly owner: RouteOwner;
  /** Undefined for a call that takes another route. Called once for each dial request. */
  routeOf(request: DialRequest): CallRoute | undefined;
}

/** Owners of routes. */
export type RouteOwner = 'carriers' | 'trunks';

/** The targets of one call, named by their index, and the calls to their owner about each try. */
export interface CallRoute {
  /** In the order in which they are tried; without any the call ends with `no-route`. */
  readonly targets: readonly RouteTarget[];
  /**
   * Called before a target is dialled. Undefined allows the target, and `settle` follows once. A `LegEnd` skips the target; when every target
   * is skipped, the call ends with it. Absent if the owner reserves nothing.
   */
  reserve?(at: number): LegEnd | undefined | Promise<LegEnd | undefined>;
  /** The try is over: frees its reservation. `answeredMs` is 0 without an answer. */
  settle?(at: number, answeredMs: number): void;
  /** A dialled target did not accept the call, which continues with the next target, if any. */
  failed(at: number, failure: TargetFailure): void;
}

/** One target of a route. */
export interface RouteTarget {
  readonly target: DialTarget;
  /** The caller that the target sees; `from` of the leg's specification when absent. */
  readonly caller?: string;
  /** The display name that the target sees; `callerName` of the leg's specification when absent. */
  readonly callerName?: string;
  /**
   * A target that does not ring within this time loses the call; while its name has another address, an address that does not respond at
   * all loses it to that one. When absent only the ring timeout of the call holds.
   */
  readonly ringingWithinMs?: number;
  /** `ringingWithinMs` holds between the addresses of the target alone: the last one keeps the call. */
  readonly mayBeSilent?: true;
  /** The carrier that the `LegEnd` names. */
  readonly carrier?: string;
}

/** Why a target did not accept a call. */
export interface TargetFailure {
  readonly because: 'rejected' | 'silent' | 'transport-failed';
  /** Of a rejection. */
  readonly sipStatus?: number;
  /** As in `LegEnd`. */
  readonly retryAfterSeconds?: number;
}
