/** A DNS query of a location. */
export interface DnsQuery {
  readonly type: 'NAPTR' | 'SRV' | 'A' | 'AAAA';
  readonly name: string;
}

/** One NAPTR record (RFC 3403 §4). */
export interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  /** E.g. `SIP+D2U`. */
  readonly service: string;
  readonly regexp: string;
  readonly replacement: string;
}

/** One SRV record (RFC 2782). */
export interface SrvRecord {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  /** A name; `.` or an empty one means that the domain does not offer the service. */
  readonly target: string;
}

/** The answer of DNS: records, possibly none, or a failed query. */
export type DnsAnswer =
  | { readonly type: 'NAPTR'; readonly records: readonly NaptrRecord[]; readonly ttlMs: number }
  | { readonly type: 'SRV'; readonly records: readonly SrvRecord[]; readonly ttlMs: number }
  | { readonly type: 'A' | 'AAAA'; readonly records: readonly string[]; readonly ttlMs: number }
  | { readonly type: 'failed' };

/** The key of a query in tables. */
export function queryKey({ type, name }: DnsQuery): string {
  return `${type} ${name.toLowerCase()}`;
}
