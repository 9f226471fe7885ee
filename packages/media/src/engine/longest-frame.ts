import type { Leg } from './leg.ts';

/** Samples of 20 ms at 8 kHz. */
export const telephoneFrame = 160;

/** The longest of the frames that these legs send and hear; the telephone frame before they are connected. */
export function longestFrame(names: readonly string[], find: (leg: string) => Leg | undefined): number {
  let most = telephoneFrame;
  for (const name of names) {
    const leg = find(name);
    if (leg !== undefined) most = Math.max(most, leg.source.frame.length, leg.hearing.frameSamples);
  }
  return most;
}
