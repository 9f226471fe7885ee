/** Whatever can be heard: a leg's decoded audio or a play. Its frame holds 20 ms at its own rate: 50 times as many samples a second. */
export interface Source {
  /** Unique among all sources of an engine and never used again. */
  readonly id: number;
  readonly frame: Int16Array;
  /** Whether `frame` holds something that can be heard in this tick; a source that is not active costs nothing. */
  active: boolean;
}
