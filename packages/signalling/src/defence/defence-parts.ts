import { type Clock, type FailedLogin, networksOf, type SourceBan } from '@jackfield/ports';
import type { Nonces } from '@jackfield/sip';
import { type EdgeProxies, noProxies } from '../proxies/edge-proxies.ts';
import { BanList } from './ban-list.ts';
import { type DefenceLimits, defaultDefenceLimits } from './defence-limits.ts';
import { KnownFlows } from './known-flows.ts';
import { createSourceProofs } from './source-proofs.ts';

export interface DefenceDeps {
  readonly clock: Clock;
  /** The nonces of all challenges. */
  readonly nonces: Nonces;
  /** Networks of carriers, proxies and telephone systems that are exempt from all limits per source. */
  readonly trusted?: readonly string[];
  /** Whether an address outside these networks is exempt as well. */
  readonly isTrusted?: (address: string) => boolean;
  /** Proxies of the operator: the limits hold for the senders behind them. */
  readonly proxies?: EdgeProxies;
  readonly limits?: Partial<DefenceLimits>;
  /** Networks whose sources are limited but never banned. */
  readonly neverBanned?: readonly string[];
  /** Called for each failed authentication whose source was not forged. */
  readonly failed?: (login: FailedLogin) => void;
  /** Called once for each ban. */
  readonly banned?: (ban: SourceBan) => void;
}

/** Counters that only rise. */
export type DefenceCounters = Record<
  | 'rateLimited'
  | 'bannedDropped'
  | 'scannersDropped'
  | 'unnamedSourcesDropped'
  | 'failedLogins'
  | 'bans'
  | 'externalCalls'
  | 'externalCallsRefused',
  number
>;

/** Shared by the parts of a defence: the sources it counts, and those that are exempt. */
export interface DefenceParts {
  readonly clock: Clock;
  readonly limits: DefenceLimits;
  readonly bans: BanList;
  readonly known: KnownFlows;
  readonly counters: DefenceCounters;
  readonly proxies: EdgeProxies;
  readonly isTrusted: (address: string) => boolean;
  readonly isNeverBanned: (address: string) => boolean;
  readonly isProven: ReturnType<typeof createSourceProofs>;
  /** Counts and reports a new ban. */
  readonly reportBan: (source: string, reason: SourceBan['reason']) => void;
}

export function createDefenceParts({ clock, nonces, ...deps }: DefenceDeps): DefenceParts {
  const limits = { ...defaultDefenceLimits, ...deps.limits };
  const { maxRemembered } = limits;
  const { proxies = noProxies } = deps;
  const isNever = networksOf(deps.neverBanned ?? []);
  const isListed = networksOf(deps.trusted ?? []);
  const counters: DefenceCounters = {
    rateLimited: 0,
    bannedDropped: 0,
    scannersDropped: 0,
    unnamedSourcesDropped: 0,
    failedLogins: 0,
    bans: 0,
    externalCalls: 0,
    externalCallsRefused: 0,
  };
  return {
    clock,
    limits,
    bans: new BanList({
      failures: limits.failuresBeforeBan,
      banMs: limits.banMs,
      maxSources: maxRemembered,
    }),
    known: new KnownFlows({ keepMs: limits.knownMs, maxFlows: maxRemembered }),
    counters,
    proxies,
    isTrusted: (address) => isListed(address) || deps.isTrusted?.(address) === true,
    isNeverBanned: (address) => isNever(address) || proxies.isProxy(address),
    isProven: createSourceProofs(clock, nonces),
    reportBan(source, reason) {
      counters.bans += 1;
      deps.banned?.({ source, reason, seconds: Math.round(limits.banMs / 1000) });
    },
  };
}
