/** One registered contact of an address of record (RFC 3261 §10.3). Times are milliseconds. */
export interface Binding {
  /** The Contact URI as text. */
  readonly contact: string;
  /** Name of the transport flow on which the REGISTER came. */
  readonly flow: string;
  /** Preference from 0 to 1. */
  readonly q: number;
  readonly expiresAt: number;
  readonly callId: string;
  readonly cseq: number;
  readonly userAgent: string;
  /** When the contact was first bound; a refresh keeps it. */
  readonly registeredAt: number;
}
