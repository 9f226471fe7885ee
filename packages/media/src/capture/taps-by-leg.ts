import type { Capture, LegTaps, Tap } from './capture.ts';

/** The legs of one track. */
export interface CapturedLegs {
  readonly said: readonly string[];
  readonly heard: readonly string[];
}

/** The taps of all captures, by leg. */
export interface TapsByLeg {
  /** Replaces the taps of a capture with those of these tracks; without tracks, removes them. */
  exchange(capture: Capture, tracks: readonly CapturedLegs[]): void;
  /** The taps on a leg; undefined when no capture names it. */
  tapsOf(leg: string): LegTaps | undefined;
}

/** Creates the table, empty. `attach` sets the taps of a leg and returns whether it is connected. */
export function createTapsByLeg(attach: (leg: string, taps: LegTaps | undefined) => boolean): TapsByLeg {
  const byLeg = new Map<string, LegTaps>();

  const tapsFor = (leg: string): LegTaps => {
    let taps = byLeg.get(leg);
    if (taps === undefined) {
      taps = { leg, said: [], heard: [], isPresent: false };
      byLeg.set(leg, taps);
      taps.isPresent = attach(leg, taps);
    }
    return taps;
  };
  const remove = (tap: Tap): void => {
    for (const list of [tap.leg.said, tap.leg.heard]) {
      const position = list.indexOf(tap);
      if (position >= 0) list.splice(position, 1);
    }
    const { leg, said, heard } = tap.leg;
    if (said.length + heard.length === 0 && byLeg.delete(leg)) attach(leg, undefined);
  };

  return {
    exchange(capture, tracks) {
      const former = new Set(capture.taps);
      const exchanged: Tap[] = [];
      tracks.forEach((legs, track) => {
        for (const way of ['said', 'heard'] as const) {
          for (const name of new Set(legs[way])) {
            const leg = tapsFor(name);
            let tap = leg[way].find((one) => one.capture === capture && one.track === track);
            if (tap === undefined) {
              tap = { capture, track, next: capture.head, leg, resampler: undefined, rings: false };
              leg[way].push(tap);
            }
            former.delete(tap);
            exchanged.push(tap);
          }
        }
      });
      for (const tap of former) remove(tap);
      capture.taps = exchanged;
    },
    tapsOf: (leg) => byLeg.get(leg),
  };
}
