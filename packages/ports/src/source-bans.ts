/** A source of signalling that nothing is heard of for a time. */
export interface SourceBan {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly source: string;
  readonly reason: 'failed-logins' | 'scanner';
  readonly seconds: number;
}

/** Where signalling tells of sources that it has banned; returns at once, and may be called often. */
export interface SourceBans {
  banned(ban: SourceBan): void;
}
