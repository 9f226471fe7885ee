import type { CallRoutes } from './call-routes.ts';
import type { ClientTokens } from './client-tokens.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { PeerNodes } from './peer-nodes.ts';
import type { Promised } from './promised.ts';
import type { Registrations } from './registrations.ts';
import type { SignallingTrace } from './signalling-trace.ts';
import type { SourceBans } from './source-bans.ts';
import type { Trunks } from './trunks.ts';

/** A call that a phone of the sandbox is about to make for the platform. */
export interface ExpectedCall {
  /** UUID of the platform's leg. */
  readonly leg: string;
  readonly account: string;
  readonly callee: string;
  /** Set for a number: the call then arrives as from this carrier. */
  readonly carrier?: string;
}

/** Ports of the features that signalling needs. */
export interface SignallingPorts {
  /** Credentials and bindings of endpoints. */
  readonly registrations: Registrations;
  /** Routes of calls to several targets. */
  readonly routes: readonly CallRoutes[];
  readonly trunks: Trunks;
  readonly clientTokens: ClientTokens;
  /** Accounts of calls from carriers. */
  readonly carrierCalls: {
    /** The account of a call to this number (E.164 with its +); undefined while the platform starts. */
    account(number: string): Promise<string | undefined>;
  };
  /** Applications that external callers may call. */
  readonly publicApplications: {
    /** The account of an application with `public_uri` that answers calls; undefined for every other app_id. */
    account(applicationId: string): Promise<string | undefined>;
  };
  readonly bans: SourceBans;
  /** The other nodes of a cluster; absent where one process owns the database. */
  readonly nodes?: PeerNodes;
  /** Inactive accounts neither register nor call. */
  readonly accounts: {
    /** False for an account that is disabled or gone. */
    isActive(account: string): Promised<boolean>;
  };
  /** Receives the SIP messages of calls; absent where they are not kept. */
  readonly trace?: SignallingTrace;
  /** Reported in the sandbox only: elsewhere an attacker could fill the log. */
  readonly failedLogins: FailedLogins;
  /** True while new calls are refused with 503 and Retry-After. */
  readonly isDraining: () => boolean;
  /** True while this process has as many calls as it carries: new ones are refused in the same way. */
  readonly isFull: () => boolean;
  /** The expected call of the sandbox phone with this leg; found once. */
  readonly sandboxCall: (phoneLeg: string) => ExpectedCall | undefined;
}
