/** What became of a packet that was put into a jitter buffer. */
export const arrival = {
  /** It waits for its turn, or fills its sequence number where it is no audio. */
  kept: 0,
  /** The same, and a new stream begins with it. */
  fresh: 1,
  late: 2,
  duplicate: 3,
  /** It belongs to no stream that is known. */
  stray: 4,
} as const;
