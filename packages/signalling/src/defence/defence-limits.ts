import { defaultFailureDelays, type FailureDelayLimits } from './failure-delays.ts';

/** Limits for unauthenticated sources; times in milliseconds. */
export interface DefenceLimits extends Omit<FailureDelayLimits, 'maxRemembered'> {
  /** New requests per second from an unproven source, 10. */
  readonly requestsPerSecond: number;
  /** Requests at once from an unproven source after an idle time, 100: an office of a hundred phones after a power cut. */
  readonly requestBurst: number;
  /** New requests per second from a source that receives what we send there, 500; at once, four times as many. */
  readonly provenPerSecond: number;
  /** Failed authentications within a minute, 20, after which their source is banned. */
  readonly failuresBeforeBan: number;
  /** Length of a ban, 300,000; 0 disables bans. */
  readonly banMs: number;
  /** How long a flow stays known after its last accepted credentials, 3,900,000: longer than the longest registration. */
  readonly knownMs: number;
  /** How long a nonce proves that its source receives packets, 3,600,000. */
  readonly proofMs: number;
  /** Sources and flows that are remembered, 100,000 of each kind. */
  readonly maxRemembered: number;
  /** Incoming calls in progress from one source, 500. */
  readonly callsPerSource: number;
  /** Incoming calls in progress of one account, 2,000. */
  readonly callsPerAccount: number;
  /** Calls of external callers in progress, 200 in all; 0 admits none. */
  readonly externalCalls: number;
  /** Calls of external callers in progress to one account, 20. */
  readonly externalCallsPerAccount: number;
}

/** The default limits. */
export const defaultDefenceLimits: DefenceLimits = {
  requestsPerSecond: 10,
  requestBurst: 100,
  provenPerSecond: 500,
  failuresBeforeBan: 20,
  banMs: 300_000,
  knownMs: 3_900_000,
  proofMs: 3_600_000,
  maxRemembered: 100_000,
  callsPerSource: 500,
  callsPerAccount: 2_000,
  ...defaultFailureDelays,
  externalCalls: 200,
  externalCallsPerAccount: 20,
};
