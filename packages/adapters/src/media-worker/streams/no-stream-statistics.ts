/** The statistics of a stream that was never connected. */
export const noStreamStatistics = {
  framesSent: 0,
  framesDropped: 0,
  playedMs: 0,
  playDroppedMs: 0,
  framesReceived: 0,
  framesRefused: 0,
};
