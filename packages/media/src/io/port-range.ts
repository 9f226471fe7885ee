/** Hands out even ports of a range in turn, so that a port rests as long as possible before it is used again. */
export interface PortRange {
  /** The next pair that is not taken; undefined when all are. Counts it as taken. */
  take(): number | undefined;
  release(port: number): void;
  /** How many pairs the range holds. */
  readonly pairs: number;
}

/** `first` and `last` are inclusive; throws a RangeError when no even port with its successor lies between them. */
export function createPortRange(first: number, last: number): PortRange {
  const start = first + (first % 2);
  const pairs = Math.floor((last - start + 1) / 2);
  if (!(start >= 2 && last <= 65535 && pairs >= 1)) {
    throw new RangeError(`ports ${first} to ${last} hold no pair for RTP and RTCP`);
  }
  const taken = new Set<number>();
  let next = 0;
  return {
    pairs,
    take() {
      if (taken.size >= pairs) return undefined;
      for (;;) {
        const port = start + 2 * next;
        next = (next + 1) % pairs;
        if (!taken.has(port)) {
          taken.add(port);
          return port;
        }
      }
    },
    release(port) {
      taken.delete(port);
    },
  };
}
