import { allocateSamples } from '../samples/sample-memory.ts';

/** An audible source: a leg's decoded audio, a play or a stream source. A frame holds 20 ms at the source's rate. */
export interface Source {
  /** Unique among all sources of an engine and never used again. */
  readonly id: number;
  readonly frame: Int16Array;
  /** Whether `frame` is audible in this tick; inactive sources cost nothing. */
  active: boolean;
}

/** A source that is silent until its frame is filled. */
export function createSource(id: number, frameSamples: number): Source {
  return { id, frame: allocateSamples(frameSamples), active: false };
}
