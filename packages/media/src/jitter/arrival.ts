/** Result of putting a packet into a jitter buffer. */
export const arrival = {
  /** Stored: audio waits for its turn, other payloads fill their sequence number. */
  kept: 0,
  /** Stored, as the first packet of a new stream. */
  fresh: 1,
  late: 2,
  duplicate: 3,
  /** Belongs to no known stream. */
  stray: 4,
  /** Longer than 120 ms or than a slot: its number is filled, its audio is dropped. */
  oversized: 5,
} as const;
