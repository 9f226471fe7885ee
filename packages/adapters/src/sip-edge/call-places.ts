/** How many calls may be in progress at once. */
export interface CallLimits {
  /** Incoming ones from one source. */
  readonly callsPerSource: number;
  /** Incoming ones of one account. */
  readonly callsPerAccount: number;
}

/** Places for incoming calls, by source and by account. */
export interface CallPlaces {
  /** Takes a place; the function gives it back, once. Undefined when there is none. A source without a name is not counted. */
  take(source: string | undefined, account: string): (() => void) | undefined;
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
    take(source, account) {
      const keys = [`of ${account}`, ...(source === undefined ? [] : [`from ${source}`])];
      const [ofAccount = 0, fromSource = 0] = keys.map((key) => counts.get(key));
      if (ofAccount >= limits.callsPerAccount || fromSource >= limits.callsPerSource) return undefined;
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
