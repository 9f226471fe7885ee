/** An audible source: a leg's decoded audio, a play or a stream source. A frame holds 20 ms at the source's rate. */
export interface Source {
  /** Unique among all sources of an engine and never used again. */
  readonly id: number;
  readonly frame: Int16Array;
  /** Whether `frame` is audible in this tick; inactive sources cost nothing. */
  active: boolean;
}
