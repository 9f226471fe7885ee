import type { DialTarget, NamedTrunk } from './telephony.ts';

/** Where a number of the public network is reached: the sandbox's phones, the operator's carriers. */
export interface NumberRoutes {
  /** `number` is E.164 with its +. Undefined when nobody serves the number. */
  targetsFor(number: string): readonly DialTarget[] | undefined;
}

/** Where numbers of customers are reached: at the telephone systems behind their inbound trunks. */
export interface OwnNumbers {
  /** `number` is E.164 with its +. Undefined for a number that is attached to no trunk. */
  trunkOf(number: string): Promise<InboundTrunk | undefined>;
}

/** The trunk of a number as it is at this moment. */
export interface InboundTrunk extends NamedTrunk {
  /** Its primary URI, then its fallback; empty while it is closed. */
  readonly targets: readonly DialTarget[];
}
