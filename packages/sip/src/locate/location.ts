import type { SipUri } from '../message/uri.ts';
import { type DnsAnswer, type DnsQuery, queryKey, type SrvRecord } from './dns-records.ts';
import { orderSrvRecords } from './order-srv-records.ts';
import {
  type Destination,
  defaultPort,
  defaultProtocol,
  destinationOf,
  isName,
  type LocatableProtocol,
  selectTransports,
  srvName,
} from './select-transport.ts';

/** One target of a request. */
export interface LocatedTarget {
  readonly protocol: LocatableProtocol;
  /** An address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The domain that a certificate must name (RFC 5922 §7.3). */
  readonly identity: string;
}

/** Transports, address families and bounds of a location. */
export interface LocationOptions {
  /** Best first. */
  readonly supported: readonly LocatableProtocol[];
  /** Address families that we can send to, best first. */
  readonly families: readonly ('A' | 'AAAA')[];
  /** The most NAPTR records to follow, 4. */
  readonly maxSrvNames?: number;
  /** The most names to resolve, 8. */
  readonly maxNames?: number;
  /** The most targets, 16. */
  readonly maxTargets?: number;
}

interface Candidate {
  readonly protocol: LocatableProtocol;
  readonly name: string;
  readonly port: number;
}

interface NamedTransport {
  readonly protocol: LocatableProtocol;
  readonly name: string;
}

/**
 * The resolution of a URI to addresses as a machine (RFC 3263 §4): its effects query DNS, and answers are its inputs.
 *
 *   naptr ──▶ srv ──▶ addresses ──▶ over
 */
export interface Location {
  readonly phase: 'naptr' | 'srv' | 'addresses' | 'over';
  readonly destination: Destination | undefined;
  readonly options: LocationOptions;
  readonly transports: readonly NamedTransport[];
  readonly candidates: readonly Candidate[];
  /** The queries of this phase, and the answers so far. */
  readonly asked: readonly DnsQuery[];
  readonly answers: ReadonlyMap<string, DnsAnswer>;
}

/** The answer to one query. */
export interface LocationInput {
  readonly type: 'answered';
  readonly query: DnsQuery;
  readonly answer: DnsAnswer;
}

/** Effects of a location; `found` or `fail` comes last and once. */
export type LocationEffect =
  | { readonly do: 'ask'; readonly query: DnsQuery }
  /** At least one, best first. */
  | { readonly do: 'found'; readonly targets: readonly LocatedTarget[] }
  | { readonly do: 'fail'; readonly sentence: string };

/** A location with its effects. */
export interface LocationStep {
  readonly state: Location;
  readonly effects: readonly LocationEffect[];
}

/** Begins with a URI; without need of DNS the location is over at once. */
export function startLocation(uri: SipUri, options: LocationOptions): LocationStep {
  const destination = destinationOf(uri);
  const state: Location = {
    phase: 'naptr',
    destination,
    options,
    transports: [],
    candidates: [],
    asked: [],
    answers: new Map(),
  };
  if (destination === undefined)
    return fail(
      state,
      'The URI names a transport that we cannot open: UDP, TCP or TLS, and only TLS for sips.',
    );
  const { target, protocol, port, isSecure, isAddress } = destination;
  const requested = protocol ?? defaultProtocol(isSecure);
  // §4.1: an address or a port in the URI needs neither NAPTR nor SRV.
  if (isAddress || port !== undefined) {
    if (!options.supported.includes(requested)) return unsupported(state, requested);
    const candidate = { protocol: requested, name: target, port: port ?? defaultPort(requested) };
    return isAddress ? arrive(state, [candidate.name], candidate) : askAddresses(state, [candidate]);
  }
  if (protocol !== undefined && !isSecure) {
    if (!options.supported.includes(protocol)) return unsupported(state, protocol);
    return askSrv(state, [{ protocol, name: srvName(protocol, target) }]);
  }
  return ask(state, 'naptr', [{ type: 'NAPTR', name: target }]);
}

/** Handles one answer; the last one ends the phase. `chance` returns numbers in [0, 1) for SRV weights. */
export function stepLocation(state: Location, input: LocationInput, chance: () => number): LocationStep {
  const key = queryKey(input.query);
  const isAwaited = state.phase !== 'over' && state.asked.some((query) => queryKey(query) === key);
  if (!isAwaited || state.answers.has(key)) return { state, effects: [] };
  const next = { ...state, answers: new Map(state.answers).set(key, input.answer) };
  if (next.answers.size < next.asked.length) return { state: next, effects: [] };
  switch (next.phase) {
    case 'naptr':
      return afterNaptr(next, input.answer);
    case 'srv':
      return afterSrv(next, chance);
    default:
      return afterAddresses(next);
  }
}

function afterNaptr(state: Location, answer: DnsAnswer): LocationStep {
  const { target, isSecure } = state.destination!;
  const { supported, maxSrvNames = 4 } = state.options;
  const records = answer.type === 'NAPTR' ? answer.records : [];
  const selected = selectTransports(records, supported, isSecure).slice(0, maxSrvNames);
  if (selected.length > 0) return askSrv(state, unique(selected));
  // §4.1: without NAPTR records, SRV records of each transport that we support show which ones the domain has.
  const protocols = supported.filter((protocol) => (protocol === 'tls') === isSecure);
  if (protocols.length === 0) return unsupported(state, defaultProtocol(isSecure));
  return askSrv(
    state,
    protocols.map((protocol) => ({ protocol, name: srvName(protocol, target) })),
  );
}

function askSrv(state: Location, transports: readonly NamedTransport[]): LocationStep {
  const queries = transports.map(({ name }) => ({ type: 'SRV' as const, name }));
  return ask({ ...state, transports }, 'srv', queries);
}

function afterSrv(state: Location, chance: () => number): LocationStep {
  const { target, isSecure } = state.destination!;
  const found = state.transports.map((transport) => ({ transport, records: srvRecordsOf(state, transport) }));
  const candidates = found.flatMap(({ transport: { protocol }, records }) =>
    orderSrvRecords(
      records.filter((record) => isName(record.target) && record.port > 0),
      chance,
    ).map((record) => ({ protocol, name: record.target, port: record.port })),
  );
  if (candidates.length > 0) return askAddresses(state, candidates);
  // RFC 2782: a single record whose target is "." means that the domain does not offer the service.
  if (found.some(({ records }) => records.length > 0))
    return fail(state, `${target} offers no SIP service: no SRV record names a host and port.`);
  // §4.2: without SRV records the domain name itself, at the default port.
  const protocol = state.transports[0]?.protocol ?? defaultProtocol(isSecure);
  return askAddresses(state, [{ protocol, name: target, port: defaultPort(protocol) }]);
}

function srvRecordsOf(state: Location, { name }: NamedTransport): readonly SrvRecord[] {
  const answer = state.answers.get(queryKey({ type: 'SRV', name }));
  return answer?.type === 'SRV' ? answer.records : [];
}

function askAddresses(state: Location, candidates: readonly Candidate[]): LocationStep {
  const { families, maxNames = 8 } = state.options;
  const names = [...new Set(candidates.map(({ name }) => name.toLowerCase()))].slice(0, maxNames);
  const asked = names.flatMap((name) => families.map((type) => ({ type, name })));
  return ask({ ...state, candidates }, 'addresses', asked);
}

function afterAddresses(state: Location): LocationStep {
  const { families, maxTargets = 16 } = state.options;
  const { identity, target } = state.destination!;
  const targets = state.candidates.flatMap(({ protocol, name, port }) =>
    families.flatMap((type) => {
      const answer = state.answers.get(queryKey({ type, name }));
      const hosts = answer?.type === 'A' || answer?.type === 'AAAA' ? answer.records : [];
      return hosts.map((host) => ({ protocol, host, port, identity }));
    }),
  );
  if (targets.length === 0) return fail(state, `${target} has no address.`);
  return over(state, [{ do: 'found', targets: targets.slice(0, maxTargets) }]);
}

function arrive(state: Location, hosts: readonly string[], { protocol, port }: Candidate): LocationStep {
  const { identity } = state.destination!;
  return over(state, [{ do: 'found', targets: hosts.map((host) => ({ protocol, host, port, identity })) }]);
}

function ask(state: Location, phase: Location['phase'], asked: readonly DnsQuery[]): LocationStep {
  return {
    state: { ...state, phase, asked, answers: new Map() },
    effects: asked.map((query) => ({ do: 'ask', query })),
  };
}

function unsupported(state: Location, protocol: LocatableProtocol): LocationStep {
  return fail(state, `The URI needs ${protocol.toUpperCase()}, which is not enabled.`);
}

function fail(state: Location, sentence: string): LocationStep {
  return over(state, [{ do: 'fail', sentence }]);
}

function over(state: Location, effects: readonly LocationEffect[]): LocationStep {
  return { state: { ...state, phase: 'over', asked: [], answers: new Map() }, effects };
}

function unique(transports: readonly NamedTransport[]): readonly NamedTransport[] {
  return transports.filter(
    ({ name }, index) =>
      transports.findIndex((each) => each.name.toLowerCase() === name.toLowerCase()) === index,
  );
}
