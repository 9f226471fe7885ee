import type { Metrics } from '@jackfield/ports';
import type { NodePhase } from './node-phase.ts';
import { noCapacity, type Problem } from './problem.ts';
import type { SessionRunner } from './session-runner.ts';

/** What this process has left for new calls. */
export interface Capacity {
  /** The share in use; from 1 on no new call is taken. */
  readonly load: number;
  /** New calls are taken: this process serves, and is not full. */
  readonly isOpen: boolean;
  /** Why a new call is too much; undefined below the limit. A drain is no matter of capacity. */
  full(): Problem | undefined;
}

export interface CapacityDeps {
  readonly phase: Pick<NodePhase, 'isServing'>;
  readonly runner: Pick<SessionRunner, 'alive'>;
  readonly metrics: Pick<Metrics, 'gauge'>;
  /** The most legs at once; no limit when left out. */
  readonly maxCalls?: number;
  /** The share of the media's ports in use, 1 where a call gets none; without such a limit when left out. */
  readonly mediaLoad?: () => number;
}

/** Calls end at any time. */
const retryAfterSeconds = 10;

/**
 * Counted are the legs that live, so the limit is not sharp: requests under way, and the legs that live calls dial, may pass it by a few.
 * Those are never refused: a caller who waits needs the leg of the agent.
 */
export function createCapacity(deps: CapacityDeps): Capacity {
  const { phase, runner, metrics, maxCalls = Number.POSITIVE_INFINITY, mediaLoad = () => 0 } = deps;
  const load = () => Math.max(runner.alive('call-leg') / maxCalls, mediaLoad());
  const isOpen = () => phase.isServing && load() < 1;
  metrics.gauge(
    'jackfield_load',
    'The share of JACKFIELD_CALLS or of the RTP ports in use, whichever is larger; from 1 on new calls are refused.',
    load,
  );
  return {
    get load() {
      return load();
    },
    get isOpen() {
      return isOpen();
    },
    full: () => (load() < 1 ? undefined : noCapacity(retryAfterSeconds)),
  };
}
