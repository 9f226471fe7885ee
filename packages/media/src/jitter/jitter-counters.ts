/** Everything that befell one received stream, in packets where nothing else is said. */
export interface JitterCounters {
  /** Given to `put`: the sum of played, other, late, duplicate, overflow, stray, oversized and what still waits. */
  received: number;
  played: number;
  /** Carried no audio of ours: telephone-event, comfort noise, an unknown payload type, an empty payload. */
  other: number;
  /** Came after their turn; also counted as lost when that turn was concealed. */
  late: number;
  duplicate: number;
  /** Their turn came and they were not there. */
  lost: number;
  /** Dropped because more than the greatest delay was waiting. */
  overflow: number;
  /** Fitted neither the sequence nor the clock of the stream, nor was followed by another one like it. */
  stray: number;
  /** Longer than a place of the buffer. */
  oversized: number;
  /** A new SSRC, or a jump of sequence number or timestamp that proved to last. */
  resyncs: number;
  /** Times that the buffer ran dry while the stream was playing. */
  underruns: number;
  /** Frames taken with real audio only, with made-up audio in them, with silence only. */
  playedFrames: number;
  concealedFrames: number;
  emptyFrames: number;
  /** Samples made up for what was lost or not there yet. */
  concealedSamples: number;
  /** Samples by which the delay was raised and lowered, by time-scaling, waiting or dropping. */
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
