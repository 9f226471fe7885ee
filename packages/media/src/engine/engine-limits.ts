/** How many of each thing exist now. */
export interface EngineCensus {
  readonly legs: number;
  readonly mixes: number;
  readonly plays: number;
  readonly clips: number;
  readonly audiences: number;
  readonly captures: number;
}

/** What has happened since the start, in frames, packets or commands. */
export interface EngineCounters {
  ticks: number;
  /** Frames encoded, frames that took an encoding made for another leg, frames of silence. */
  encoded: number;
  shared: number;
  silent: number;
  /** Packets that were passed on undecoded, from one of two who hear each other to the other. */
  relayed: number;
  /** Packets of a leg before it was connected. */
  early: number;
  /** Commands that named something unknown, or exceeded a limit. */
  ignored: number;
  /** Legs of keys that cannot be sent: no events agreed on, no key, or too many waiting. */
  digitsRefused: number;
}

/** How much an engine takes in before it refuses. */
export interface EngineLimits {
  readonly legs: number;
  readonly mixes: number;
  readonly membersPerMix: number;
  readonly playsPerMix: number;
  /** Samples of all clips together; 2 bytes each. */
  readonly clipSamples: number;
  readonly captures: number;
  readonly tracksPerCapture: number;
  /** Streams: taps of legs, and feeds with virtual legs. */
  readonly taps: number;
  readonly feeds: number;
  /** Captured audio is handed over so much at a time. */
  readonly captureChunkMs: number;
  /** Keys that may wait for one leg. */
  readonly queuedDigits: number;
  /** Packets a second that one leg may send on to another undecoded; twice what packets of 10 ms need. */
  readonly relayedPerSecond: number;
  /** The most that a jitter buffer holds. */
  readonly jitterMs: number;
}

/** Limits that hold where none are given: 10,000 legs, 100 MB of clips, 200 ms of jitter, captures 0.5 s at a time. */
export const defaultEngineLimits: EngineLimits = {
  legs: 10_000,
  mixes: 10_000,
  membersPerMix: 250,
  playsPerMix: 64,
  clipSamples: 50_000_000,
  captures: 5000,
  tracksPerCapture: 64,
  taps: 5000,
  feeds: 5000,
  captureChunkMs: 500,
  queuedDigits: 64,
  relayedPerSecond: 200,
  jitterMs: 200,
};
