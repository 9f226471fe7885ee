import type { DialTarget } from './telephony.ts';

/** Where a number of the public network is reached: the sandbox's phones, later the operator's carriers. */
export interface NumberRoutes {
  /** `number` is E.164 with its +. Undefined when nobody serves the number. */
  targetsFor(number: string): readonly DialTarget[] | undefined;
}
