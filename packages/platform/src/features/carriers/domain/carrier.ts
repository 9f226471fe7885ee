import type { RoutePrefix } from '@jackfield/ports';

/** A carrier of the operator, without its secrets: signalling keeps those, by the carrier's name. */
export interface Carrier {
  readonly name: string;
  /** A host name or an address, IPv6 in brackets. */
  readonly host: string;
  readonly port: number | undefined;
  readonly transport: CarrierTransport;
  readonly registration: CarrierRegistration | undefined;
  readonly prefixes: readonly RoutePrefix[];
  readonly callerId: CallerIdRule;
  readonly caps: CarrierCaps;
  /** Between two OPTIONS; 0 for no probes. */
  readonly probeSeconds: number;
  /** How long it may be silent before the call goes to the next carrier. */
  readonly ringingWithinSeconds: number;
  /** Addresses and networks of its calls, besides a `host` that is an address. */
  readonly addresses: readonly string[];
}

export type CarrierTransport = 'udp' | 'tcp' | 'tls';

export interface CarrierRegistration {
  /** SIP URI of the address-of-record. */
  readonly aor: string;
  readonly expiresSeconds: number;
}

/** The caller id that a callee sees. */
export type CallerIdRule =
  | { readonly rule: 'keep' }
  | { readonly rule: 'replace'; readonly number: string }
  /** Kept with one of these prefixes; else replaced by `number`, or refused without one. */
  | { readonly rule: 'allow'; readonly prefixes: readonly string[]; readonly number: string | undefined };

/** At least one is set; undefined for no cap. */
export interface CarrierCaps {
  readonly callsPerSecond: number | undefined;
  readonly concurrentCalls: number | undefined;
  /** 1e-5 units of the rate table's currency. */
  readonly spendPerHour: number | undefined;
}

/** Credentials for a carrier's challenges; for signalling alone, never logged. */
export interface CarrierAccount {
  readonly carrier: string;
  readonly username: string;
  readonly password: string;
  /** The only realm that is answered; every realm when undefined. */
  readonly realm: string | undefined;
}
