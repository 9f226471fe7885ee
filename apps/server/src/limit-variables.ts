import type { HttpLimits } from '@jackfield/platform';
import {
  type DefenceLimits,
  defaultDefenceLimits,
  defaultExternalCallLimits,
  type ExternalCallLimits,
  type RegistrarLimits,
} from '@jackfield/signalling';
import { asAddress, asCidr, asCount, asList } from './config-values.ts';

/** Limits for use by others; docs/operate/security.md states the purpose of each. */
export interface ServerLimits {
  /** Networks and addresses exempt from all limits per source. */
  readonly trustedSources: readonly string[];
  /** Proxies whose word about the addresses of their clients counts. */
  readonly proxies: readonly string[];
  /** Legs of calls at once; infinite without a limit. */
  readonly calls: number;
  readonly defence: Partial<DefenceLimits>;
  /** Limits of callers without credentials. */
  readonly external: Partial<ExternalCallLimits>;
  readonly registrar: RegistrarLimits;
  readonly http: Partial<HttpLimits>;
  readonly sip: {
    readonly messageBytes: number;
    /** Connections over TCP, and as many each over TLS and over WebSocket. */
    readonly connections: number;
    readonly connectionsPerSource: number;
    /** How long a connection without an authenticated sender may stay open. */
    readonly strangerMs: number;
  };
}

const number = (most: number) => ({ allowed: `a number from 1 to ${most}`, read: asCount(most) });

/** The variables of limits. */
export const limitVariables = {
  trustedSources: {
    name: 'JACKFIELD_TRUSTED_SOURCES',
    allowed: 'networks and addresses such as 10.0.0.0/8, separated by commas',
    read: asList((text: string) => asCidr(text) ?? asAddress(text)),
  },
  proxies: {
    name: 'JACKFIELD_PROXIES',
    allowed: 'networks and addresses such as 10.0.0.0/8, separated by commas',
    read: asList((text: string) => asCidr(text) ?? asAddress(text)),
  },
  sipRate: { name: 'JACKFIELD_SIP_RATE', ...number(1_000_000) },
  sipBurst: { name: 'JACKFIELD_SIP_BURST', ...number(1_000_000) },
  sipBanAfter: { name: 'JACKFIELD_SIP_BAN_AFTER', ...number(1_000_000) },
  sipBanSeconds: {
    name: 'JACKFIELD_SIP_BAN_SECONDS',
    allowed: 'a number of seconds from 0 (no ban) to 86400',
    read: orZero(asCount(86_400)),
  },
  sipMessageBytes: {
    name: 'JACKFIELD_SIP_MESSAGE_BYTES',
    allowed: 'a number of bytes from 2000 to 65535',
    read: atLeast(2000, asCount(65_535)),
  },
  sipConnections: { name: 'JACKFIELD_SIP_CONNECTIONS', ...number(1_000_000) },
  sipConnectionsPerSource: { name: 'JACKFIELD_SIP_CONNECTIONS_PER_SOURCE', ...number(1_000_000) },
  sipStrangerSeconds: { name: 'JACKFIELD_SIP_STRANGER_SECONDS', ...number(86_400) },
  registrationSeconds: {
    name: 'JACKFIELD_REGISTRATION_SECONDS',
    allowed: 'a number of seconds from 60 to 86400',
    read: atLeast(60, asCount(86_400)),
  },
  registrationSlack: { name: 'JACKFIELD_REGISTRATION_SLACK', ...number(10) },
  calls: { name: 'JACKFIELD_CALLS', ...number(1_000_000) },
  callsPerSource: { name: 'JACKFIELD_CALLS_PER_SOURCE', ...number(1_000_000) },
  callsPerAccount: { name: 'JACKFIELD_CALLS_PER_ACCOUNT', ...number(1_000_000) },
  externalCalls: {
    name: 'JACKFIELD_EXTERNAL_CALLS',
    allowed: 'a number of calls from 0 (no calls without credentials) to 1000000',
    read: orZero(asCount(1_000_000)),
  },
  externalCallsPerAccount: { name: 'JACKFIELD_EXTERNAL_CALLS_PER_ACCOUNT', ...number(1_000_000) },
  externalCallsPerMinute: { name: 'JACKFIELD_EXTERNAL_CALLS_PER_MINUTE', ...number(1_000_000) },
  httpRequests: { name: 'JACKFIELD_HTTP_REQUESTS', ...number(1_000_000) },
  httpStrangerRequests: { name: 'JACKFIELD_HTTP_STRANGER_REQUESTS', ...number(1_000_000) },
  httpBanAfter: { name: 'JACKFIELD_HTTP_BAN_AFTER', ...number(1_000_000) },
  httpConnections: { name: 'JACKFIELD_HTTP_CONNECTIONS', ...number(1_000_000) },
  httpConnectionsPerSource: { name: 'JACKFIELD_HTTP_CONNECTIONS_PER_SOURCE', ...number(1_000_000) },
} as const;

type Variable<Value> = {
  readonly name: `JACKFIELD_${string}`;
  readonly allowed: string;
  readonly read: (text: string) => Value | undefined;
};

/** Reads a variable that has a default. */
export type ReadOrDefault = <Value>(variable: Variable<Value>, fallback: Value, text?: string) => Value;

/** Reads the limits; in the sandbox the local machine is trusted. */
export function readLimits(orDefault: ReadOrDefault, sandbox: boolean): ServerLimits {
  const variables = limitVariables;
  const ofSip = defaultDefenceLimits;
  const trusted: readonly string[] = sandbox ? ['127.0.0.0/8', '::1'] : [];
  return {
    trustedSources: orDefault(variables.trustedSources, trusted, trusted.join(',') || 'none'),
    proxies: orDefault(variables.proxies, [], 'none'),
    calls: orDefault(variables.calls, Number.POSITIVE_INFINITY, 'no limit but the RTP ports'),
    defence: {
      requestsPerSecond: orDefault(variables.sipRate, ofSip.requestsPerSecond),
      requestBurst: orDefault(variables.sipBurst, ofSip.requestBurst),
      failuresBeforeBan: orDefault(variables.sipBanAfter, ofSip.failuresBeforeBan),
      banMs: orDefault(variables.sipBanSeconds, ofSip.banMs / 1000) * 1000,
      callsPerSource: orDefault(variables.callsPerSource, ofSip.callsPerSource),
      callsPerAccount: orDefault(variables.callsPerAccount, ofSip.callsPerAccount),
      externalCalls: orDefault(variables.externalCalls, ofSip.externalCalls),
      externalCallsPerAccount: orDefault(variables.externalCallsPerAccount, ofSip.externalCallsPerAccount),
    },
    external: {
      callsPerMinute: orDefault(variables.externalCallsPerMinute, defaultExternalCallLimits.callsPerMinute),
    },
    registrar: {
      maxExpires: orDefault(variables.registrationSeconds, 3_600),
      slack: orDefault(variables.registrationSlack, 1),
    },
    http: {
      requests: orDefault(variables.httpRequests, 300),
      strangerRequests: orDefault(variables.httpStrangerRequests, 200),
      failedAuthentications: orDefault(variables.httpBanAfter, 20),
      connections: orDefault(variables.httpConnections, 25_000),
      connectionsPerSource: orDefault(variables.httpConnectionsPerSource, 6_000),
    },
    sip: {
      messageBytes: orDefault(variables.sipMessageBytes, 65_535),
      connections: orDefault(variables.sipConnections, 20_000),
      connectionsPerSource: orDefault(variables.sipConnectionsPerSource, 5_000),
      strangerMs: orDefault(variables.sipStrangerSeconds, 120) * 1000,
    },
  };
}

function orZero(read: (text: string) => number | undefined) {
  return (text: string): number | undefined => (text === '0' ? 0 : read(text));
}

function atLeast(least: number, read: (text: string) => number | undefined) {
  return (text: string): number | undefined => {
    const value = read(text);
    return value === undefined || value < least ? undefined : value;
  };
}
