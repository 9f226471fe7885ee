import type { DialTarget, NamedTrunk } from './telephony.ts';

/** Targets of a number of the public network: the sandbox's phones, the operator's carriers. */
export interface NumberRoutes {
  /** `number` is E.164 with its +. Undefined for a number without a route. */
  targetsFor(number: string): readonly DialTarget[] | undefined;
}

/** Targets of customers' numbers: the telephone systems behind their inbound trunks. */
export interface OwnNumbers {
  /** `number` is E.164 with its +. Undefined for a number that is attached to no trunk. */
  trunkOf(number: string): Promise<InboundTrunk | undefined>;
}

/** The current trunk of a number. */
export interface InboundTrunk extends NamedTrunk {
  /** The primary URI, then the fallback; empty while the trunk is closed. */
  readonly targets: readonly DialTarget[];
}
