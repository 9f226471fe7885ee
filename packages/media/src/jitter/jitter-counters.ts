/** Counters of one received stream, in packets unless stated otherwise. */
export interface JitterCounters {
  /** Passed to `put`: the sum of played, other, late, duplicate, overflow, stray, oversized and waiting packets. */
  received: number;
  played: number;
  /** Without agreed audio: telephone-event, comfort noise, an unknown payload type, an empty payload. */
  other: number;
  /** Arrived after their turn; also counted as lost if that turn was concealed. */
  late: number;
  duplicate: number;
  /** Missing at their turn. */
  lost: number;
  /** Dropped because more audio than the limit was waiting. */
  overflow: number;
  /** Matched neither the sequence nor the clock of the stream, and no second packet confirmed them. */
  stray: number;
  /** Longer than 120 ms or than a slot of the buffer. */
  oversized: number;
  /** A new SSRC, or a lasting jump of sequence number or timestamp. */
  resyncs: number;
  /** Times that the buffer ran dry during play. */
  underruns: number;
  /** Frames taken: with real audio only, with concealed samples, with silence only. */
  playedFrames: number;
  concealedFrames: number;
  emptyFrames: number;
  /** Samples concealed for lost or late audio. */
  concealedSamples: number;
  /** Samples by which the delay was raised and lowered: by time-scaling, waiting or dropping. */
  insertedSamples: number;
  removedSamples: number;
}

/** All zeros. */
export function createJitterCounters(): JitterCounters {
  return {
    received: 0,
    played: 0,
    other: 0,
    late: 0,
    duplicate: 0,
    lost: 0,
    overflow: 0,
    stray: 0,
    oversized: 0,
    resyncs: 0,
    underruns: 0,
    playedFrames: 0,
    concealedFrames: 0,
    emptyFrames: 0,
    concealedSamples: 0,
    insertedSamples: 0,
    removedSamples: 0,
  };
}
