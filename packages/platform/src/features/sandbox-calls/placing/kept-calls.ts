import type { Clock } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import type { HeardRecordings } from './heard-recordings.ts';
import type { SandboxCall } from './sandbox-call.ts';

export interface KeptCallLimits {
  /** Ended calls that are kept; the oldest goes first. */
  readonly kept: number;
  /** All recordings together; the oldest goes first. */
  readonly recordedBytes: number;
}

/** Calls of sandbox phones, live ones and the newest ended ones, with their recordings. */
export interface KeptCalls {
  add(call: SandboxCall): void;
  find(uuid: string): SandboxCall | undefined;
  live(): readonly SandboxCall[];
  /** Calls that the viewer may see, newest first. */
  seenBy(viewer: RequestAccount): readonly SandboxCall[];
  of(account: string): readonly SandboxCall[];
  /** Ends a call and completes its recording in the background. */
  end(call: SandboxCall): void;
  /** Forgets an ended call and removes its recording in the background. */
  drop(call: SandboxCall): void;
  /** Work in the background. */
  readonly endings: number;
  /** Waits for that work, then removes all calls with their recordings. */
  clear(): Promise<void>;
}

export function createKeptCalls(
  clock: Clock,
  recordings: HeardRecordings,
  limits: KeptCallLimits,
): KeptCalls {
  /** Oldest first. */
  const calls = new Map<string, SandboxCall>();
  const finishing = new Set<Promise<void>>();

  function inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => finishing.delete(tracked));
    finishing.add(tracked);
  }

  async function forgetOldest(): Promise<void> {
    const ended = [...calls.values()].filter(({ state }) => state === 'ended');
    for (const call of ended.slice(0, Math.max(0, ended.length - limits.kept))) {
      calls.delete(call.uuid);
      await recordings.remove(call);
    }
    let bytes = 0;
    for (const call of ended.toReversed()) {
      bytes += call.recording === 'complete' ? (call.file?.bytes ?? 0) : 0;
      if (bytes > limits.recordedBytes) await recordings.remove(call);
    }
  }

  return {
    get endings() {
      return finishing.size;
    },
    add: (call) => void calls.set(call.uuid, call),
    find: (uuid) => calls.get(uuid),
    live: () => [...calls.values()].filter(({ state }) => state !== 'ended'),
    seenBy({ authId, isSubaccount }) {
      const key = isSubaccount ? 'account' : 'mainAccount';
      return [...calls.values()].filter((call) => call[key] === authId).reverse();
    },
    of: (account) => [...calls.values()].filter((call) => call.account === account),
    end(call) {
      if (call.state === 'ended') return;
      const wasHeard = call.answeredAt !== null;
      call.state = 'ended';
      call.endedAt = clock.now();
      inBackground(recordings.finish(call, wasHeard).then(forgetOldest));
    },
    drop(call) {
      calls.delete(call.uuid);
      inBackground(recordings.remove(call));
    },
    async clear() {
      await Promise.allSettled(finishing);
      for (const call of calls.values()) await recordings.remove(call);
      calls.clear();
    },
  };
}
