import {
  type Clock,
  type FailedLogin,
  type Instant,
  networksOf,
  type SourceBan,
  sourceOf,
} from '@jackfield/ports';
import { decodeUtf8, type Flow, type Nonces, parseAuthorization, type SipRequest } from '@jackfield/sip';
import type { Admission, Admitted } from '../admission/admission.ts';
import { BanList } from './ban-list.ts';
import { type CallPlaces, createCallPlaces } from './call-places.ts';
import { defaultFailureDelays, type FailureDelayLimits, FailureDelays } from './failure-delays.ts';
import { KnownFlows } from './known-flows.ts';
import { scannerNames } from './scanner-names.ts';
import { SourceRate } from './source-rate.ts';

/** Limits for unauthenticated sources; times in milliseconds. */
export interface DefenceLimits extends Omit<FailureDelayLimits, 'maxRemembered'> {
  /** New requests per second from an unproven source, 10. */
  readonly requestsPerSecond: number;
  /** Requests at once from an unproven source after an idle time, 100: an office of a hundred phones after a power cut. */
  readonly requestBurst: number;
  /** New requests per second from a source that receives what we send there, 500; at once, four times as many. */
  readonly provenPerSecond: number;
  /** Failed authentications within a minute, 20, after which their source is banned. */
  readonly failuresBeforeBan: number;
  /** Length of a ban, 300,000; 0 disables bans. */
  readonly banMs: number;
  /** How long a flow stays known after its last accepted credentials, 3,900,000: longer than the longest registration. */
  readonly knownMs: number;
  /** How long a nonce proves that its source receives packets, 3,600,000. */
  readonly proofMs: number;
  /** Sources and flows that are remembered, 100,000 of each kind. */
  readonly maxRemembered: number;
  /** Incoming calls in progress from one source, 500. */
  readonly callsPerSource: number;
  /** Incoming calls in progress of one account, 2,000. */
  readonly callsPerAccount: number;
  /** Calls of external callers in progress, 200 in all; 0 admits none. */
  readonly externalCalls: number;
  /** Calls of external callers in progress to one account, 20. */
  readonly externalCallsPerAccount: number;
}

/** The default limits. */
export const defaultDefenceLimits: DefenceLimits = {
  requestsPerSecond: 10,
  requestBurst: 100,
  provenPerSecond: 500,
  failuresBeforeBan: 20,
  banMs: 300_000,
  knownMs: 3_900_000,
  proofMs: 3_600_000,
  maxRemembered: 100_000,
  callsPerSource: 500,
  callsPerAccount: 2_000,
  ...defaultFailureDelays,
  externalCalls: 200,
  externalCallsPerAccount: 20,
};

export interface DefenceDeps {
  readonly clock: Clock;
  /** The nonces of all challenges. */
  readonly nonces: Nonces;
  /** Networks of carriers, proxies and telephone systems that are exempt from all limits per source. */
  readonly trusted?: readonly string[];
  /** Whether an address outside these networks is exempt as well. */
  readonly isTrusted?: (address: string) => boolean;
  readonly limits?: Partial<DefenceLimits>;
  /** Networks whose sources are limited but never banned. */
  readonly neverBanned?: readonly string[];
  /** Called for each failed authentication whose source was not forged. */
  readonly failed?: (login: FailedLogin) => void;
  /** Called once for each ban. */
  readonly banned?: (ban: SourceBan) => void;
}

/** Keeps unauthenticated sources within their share. docs/security.md states the promises and the reasons. */
export interface Defence {
  /** Whether messages on this flow are processed; called for each message before it is parsed. */
  hears(flow: Flow): boolean;
  /** Whether a connection from this address is accepted. */
  accepts(remoteAddress: string): boolean;
  /** Whether a request outside of all dialogs is answered. */
  admits(request: SipRequest, flow: Flow): boolean;
  /** Whether the sender on this flow is exempt from all limits. */
  trusts(flow: Flow): boolean;
  /** Wraps an admission: keeps its decisions and counts their outcomes. */
  watch(admission: Admission): Admission;
  /** Whether a sender has authenticated on this flow. */
  knows(flow: string): boolean;
  /** A connection has closed. */
  flowClosed(flow: string): void;
  readonly places: CallPlaces;
  /** Counters that only rise. */
  readonly counters: Readonly<
    Record<
      | 'rateLimited'
      | 'bannedDropped'
      | 'scannersDropped'
      | 'failedLogins'
      | 'bans'
      | 'externalCalls'
      | 'externalCallsRefused',
      number
    >
  >;
  census(): { readonly bannedSources: number; readonly knownFlows: number };
}

/** The headers that carry credentials. */
const credentialHeaders = ['Authorization', 'Proxy-Authorization'];

export function createDefence(deps: DefenceDeps): Defence {
  const { clock, nonces } = deps;
  const limits = { ...defaultDefenceLimits, ...deps.limits };
  const { maxRemembered, requestsPerSecond, requestBurst, provenPerSecond } = limits;
  const isListed = networksOf(deps.trusted ?? []);
  const isTrusted = (address: string) => isListed(address) || deps.isTrusted?.(address) === true;
  const strangers = new SourceRate({
    perSecond: requestsPerSecond,
    burst: requestBurst,
    maxKeys: maxRemembered,
  });
  const proven = new SourceRate({
    perSecond: provenPerSecond,
    burst: 4 * provenPerSecond,
    maxKeys: maxRemembered,
  });
  const bans = new BanList({
    failures: limits.failuresBeforeBan,
    banMs: limits.banMs,
    maxSources: maxRemembered,
  });
  const delays = new FailureDelays(limits);
  const isNeverBanned = networksOf(deps.neverBanned ?? []);
  const known = new KnownFlows({ keepMs: limits.knownMs, maxFlows: maxRemembered });
  const places = createCallPlaces(limits);
  const counters = {
    rateLimited: 0,
    bannedDropped: 0,
    scannersDropped: 0,
    failedLogins: 0,
    bans: 0,
    externalCalls: 0,
    externalCallsRefused: 0,
  };

  function tell(source: string, reason: SourceBan['reason']): void {
    counters.bans += 1;
    deps.banned?.({ source, reason, seconds: Math.round(limits.banMs / 1000) });
  }

  /** A source that presents a nonce of ours receives what is sent there: its address is not forged. */
  function isProven(request: SipRequest, address: string, withinMs: number | undefined): boolean {
    return credentialHeaders.some((name) =>
      request.headers.all(name).some((value) => {
        const nonce = parseAuthorization(value)?.nonce;
        return nonce !== undefined && nonces.proves(nonce, clock.now(), address, withinMs);
      }),
    );
  }

  function takeToken(request: SipRequest, flow: Flow, now: Instant): boolean {
    const source = sourceOf(flow.remoteAddress);
    // A known flow costs no hash. Its address and port may be forged all the same: then its nonce still counts.
    if (known.has(flow.id, now) && proven.take(flow.id, now)) return true;
    if (known.has(listed(source), now) || isProven(request, flow.remoteAddress, limits.proofMs)) {
      return proven.take(source, now);
    }
    // The address of a connection cannot be forged, and the connections of each source are limited.
    return strangers.take(flow.reliable ? flow.id : source, now);
  }

  function isScanner(request: SipRequest): boolean {
    const name = request.headers.get('User-Agent')?.toLowerCase();
    return name !== undefined && scannerNames.some((scanner) => name.includes(scanner));
  }

  return {
    hears(flow) {
      // Without bans there is nothing to look up.
      if (bans.size === 0) return true;
      const now = clock.now();
      if (!bans.isBanned(sourceOf(flow.remoteAddress), now) || known.has(flow.id, now)) return true;
      counters.bannedDropped += 1;
      return false;
    },
    accepts: (address) => !bans.isBanned(sourceOf(address), clock.now()),
    admits(request, flow) {
      const address = flow.remoteAddress;
      if (isTrusted(address)) return true;
      const now = clock.now();
      if (isScanner(request)) {
        counters.scannersDropped += 1;
        // Over UDP the sender may have forged the address of another source.
        if (flow.reliable && !isNeverBanned(address) && bans.ban(sourceOf(address), now))
          tell(sourceOf(address), 'scanner');
        return false;
      }
      const isFree = takeToken(request, flow, now);
      if (!isFree) counters.rateLimited += 1;
      return isFree;
    },
    trusts: ({ remoteAddress }) => isTrusted(remoteAddress),
    watch: (admission) => ({
      async admit(request, address, flow) {
        const decided = await admission.admit(request, address, flow);
        const now = clock.now();
        if (decided.ok) {
          const { username } = credentialsIn(request);
          if (username !== undefined) delays.succeeded(sourceOf(address), username);
          // An external caller has proved nothing: its source stays unknown.
          if (decided.external !== undefined) return decided;
          // A sender admitted by its address alone has proved nothing about its port: forged ports would fill the memory.
          const mayBeListed = decided.trunk !== undefined || decided.carrier !== undefined;
          const hasShown = mayBeListed
            ? isProven(request, address, undefined)
            : showsWhoItIs(decided, request);
          known.add(hasShown ? flow : listed(sourceOf(address)), now);
          return decided;
        }
        if (decided.status !== 401 || !hasCredentials(request)) return decided;
        // The password was right; only its nonce was too old.
        if (decided.headers.some(([, value]) => /, ?stale=true/i.test(value))) return decided;
        // A failure counts when its source is genuine: it came over a connection, or with a fresh nonce of that source.
        if (flow.startsWith('udp-') && !isProven(request, address, undefined)) return decided;
        counters.failedLogins += 1;
        known.remove(flow);
        const source = sourceOf(address);
        const { username, realm } = credentialsIn(request);
        deps.failed?.({ source: address, username, realm });
        if (isTrusted(address)) return decided;
        if (!isNeverBanned(address) && bans.failed(source, now)) tell(source, 'failed-logins');
        const delayMs = delays.failed(source, username ?? '', now);
        // The password was checked at once: a right one never waits for the refusals of wrong ones.
        if (delayMs > 0) await new Promise<void>((resolve) => void clock.startTimer(now + delayMs, resolve));
        return decided;
      },
    }),
    knows: (flow) => known.has(flow, clock.now()),
    flowClosed: (flow) => known.remove(flow),
    places: {
      take(address, account, isExternal = false) {
        const source = address === undefined || isTrusted(address) ? undefined : sourceOf(address);
        const free = places.take(source, account, isExternal);
        if (isExternal) counters[free === undefined ? 'externalCallsRefused' : 'externalCalls'] += 1;
        return free;
      },
      get taken() {
        return places.taken;
      },
    },
    counters,
    census: () => ({ bannedSources: bans.size, knownFlows: known.size }),
  };
}

function hasCredentials(request: SipRequest): boolean {
  return credentialHeaders.some((name) => request.headers.has(name));
}

/** The user and realm of the first valid credentials. */
function credentialsIn({ headers }: SipRequest): { readonly username?: string; readonly realm?: string } {
  for (const name of credentialHeaders) {
    for (const value of headers.all(name)) {
      const { username, realm } = parseAuthorization(value) ?? {};
      if (username !== undefined && realm !== undefined) {
        return { username: decodeUtf8(username), realm: decodeUtf8(realm) };
      }
    }
  }
  return {};
}

function showsWhoItIs({ token }: Admitted, request: SipRequest): boolean {
  return token !== undefined || hasCredentials(request);
}

/** The key of a source that was admitted by its address. */
function listed(source: string): string {
  return `listed ${source}`;
}
