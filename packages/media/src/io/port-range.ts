/** Assigns the even ports of a range in turn, so that a released port is reused as late as possible. */
export interface PortRange {
  /** Takes the next free pair; undefined when none is free. */
  take(): number | undefined;
  /** Without effect on a port of another range. */
  release(port: number): void;
  /** Number of pairs in the range. */
  readonly pairs: number;
}

/** `first` and `last` are inclusive; throws a RangeError when they include no even port with its successor. */
export function createPortRange(first: number, last: number): PortRange {
  const start = first + (first % 2);
  const pairs = Math.floor((last - start + 1) / 2);
  if (!(start >= 2 && last <= 65535 && pairs >= 1)) {
    throw new RangeError(
      `the port range ${first}–${last} has no pair for RTP and RTCP: an even port and its successor are needed`,
    );
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
