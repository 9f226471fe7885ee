import { mostQueuedDigits } from '../codec/digit-sender.ts';

/** Current numbers of objects. */
export interface EngineCensus {
  readonly legs: number;
  readonly mixes: number;
  readonly plays: number;
  readonly clips: number;
  readonly audiences: number;
  readonly captures: number;
}

/** Counters since the start, in frames, packets or commands. */
export interface EngineCounters {
  ticks: number;
  /** Frames encoded, frames that reused another leg's encoding, frames of silence. */
  encoded: number;
  shared: number;
  silent: number;
  /** Packets relayed undecoded between two legs. */
  relayed: number;
  /** Packets for a leg that was not connected yet. */
  early: number;
  /** Commands that named an unknown object or exceeded a limit. */
  ignored: number;
  /** `send-digits` commands refused: no events agreed on, no valid key, or too many queued. */
  digitsRefused: number;
}

/** Limits above which an engine refuses. */
export interface EngineLimits {
  readonly legs: number;
  readonly mixes: number;
  readonly membersPerMix: number;
  readonly playsPerMix: number;
  /** Samples of all clips together, 2 bytes each. */
  readonly clipSamples: number;
  readonly captures: number;
  readonly tracksPerCapture: number;
  /** Streams: taps of legs, and stream sources with virtual legs. */
  readonly taps: number;
  readonly streamSources: number;
  /** Length of a chunk of captured audio. */
  readonly captureChunkMs: number;
  /** Queued keys per leg. */
  readonly queuedDigits: number;
  /** Packets a second that a leg may relay; twice what packets of 10 ms need. */
  readonly relayedPerSecond: number;
  /** Capacity of a jitter buffer. */
  readonly jitterMs: number;
}

/** The defaults: 10,000 legs, 100 MB of clips, 200 ms of jitter, captures in chunks of 0.5 s. */
export const defaultEngineLimits: EngineLimits = {
  legs: 10_000,
  mixes: 10_000,
  membersPerMix: 250,
  playsPerMix: 64,
  clipSamples: 50_000_000,
  captures: 5000,
  tracksPerCapture: 64,
  taps: 5000,
  streamSources: 5000,
  captureChunkMs: 500,
  queuedDigits: mostQueuedDigits,
  relayedPerSecond: 200,
  jitterMs: 200,
};
