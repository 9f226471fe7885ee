/** Limits for calls in progress. */
export interface CallLimits {
  /** Incoming calls from one source. */
  readonly callsPerSource: number;
  /** Incoming calls of one account. */
  readonly callsPerAccount: number;
  /** Calls of external callers, who have no credentials, in all. */
  readonly externalCalls: number;
  /** Calls of external callers to one account. */
  readonly externalCallsPerAccount: number;
}

/** Slots for incoming calls, by source and by account. */
export interface CallSlots {
  /** Reserves a slot; the returned function frees it, once. Undefined when all are in use. A source without a name is not counted. */
  take(source: string | undefined, account: string, isExternal?: boolean): (() => void) | undefined;
  /** Slots in use. */
  readonly taken: number;
}

/** All slots are free at first. Sources and accounts without a call use no memory. */
export function createCallSlots(limits: CallLimits): CallSlots {
  const counts = new Map<string, number>();
  let taken = 0;

  const change = (key: string, by: number): void => {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };

  return {
    take(source, account, isExternal = false) {
      const most: (readonly [key: string, limit: number])[] = [[`of ${account}`, limits.callsPerAccount]];
      if (source !== undefined) most.push([`from ${source}`, limits.callsPerSource]);
      if (isExternal) {
        most.push(['external', limits.externalCalls]);
        most.push([`external to ${account}`, limits.externalCallsPerAccount]);
      }
      if (most.some(([key, limit]) => (counts.get(key) ?? 0) >= limit)) return undefined;
      const keys = most.map(([key]) => key);
      taken += 1;
      for (const key of keys) change(key, 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        taken -= 1;
        for (const key of keys) change(key, -1);
      };
    },
    get taken() {
      return taken;
    },
  };
}
