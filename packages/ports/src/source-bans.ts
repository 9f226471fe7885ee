/** A source whose signalling is dropped for a time. */
export interface SourceBan {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly source: string;
  readonly reason: 'failed-logins' | 'scanner';
  readonly seconds: number;
}

/** Receives the sources that signalling has banned; returns at once, and may be called often. */
export interface SourceBans {
  banned(ban: SourceBan): void;
}
