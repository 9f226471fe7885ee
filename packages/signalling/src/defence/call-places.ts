/** How many calls may be in progress at once. */
export interface CallLimits {
  /** Incoming ones from one source. */
  readonly callsPerSource: number;
  /** Incoming ones of one account. */
  readonly callsPerAccount: number;
  /** Those of external callers, who have no credentials, in all. */
  readonly externalCalls: number;
  /** The same to one account. */
  readonly externalCallsPerAccount: number;
}

/** Places for incoming calls, by source and by account. */
export interface CallPlaces {
  /** Takes a place; the function gives it back, once. Undefined when there is none. A source without a name is not counted. */
  take(source: string | undefined, account: string, isExternal?: boolean): (() => void) | undefined;
  /** Places that are taken. */
  readonly taken: number;
}

/** All places are free; what is taken is counted by source and account, and nothing is kept of those that hold none. */
export function createCallPlaces(limits: CallLimits): CallPlaces {
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
