import type { CallRoutes } from './call-routes.ts';
import type { ClientTokens } from './client-tokens.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { Registrations } from './registrations.ts';
import type { SourceBans } from './source-bans.ts';
import type { Trunks } from './trunks.ts';

/** A call that a phone of the sandbox was told to make. */
export interface ExpectedCall {
  /** UUID of the platform's leg. */
  readonly leg: string;
  readonly account: string;
  readonly callee: string;
  /** Set for a number: the call is then one that a carrier hands over. */
  readonly carrier?: string;
}

/** What signalling asks the features. */
export interface SignallingDoors {
  /** Who may register, and where phones are. */
  readonly registrations: Registrations;
  /** Calls that are tried at several targets. */
  readonly routes: readonly CallRoutes[];
  readonly trunks: Trunks;
  readonly clientTokens: ClientTokens;
  /** Whose calls carriers hand over. */
  readonly carrierCalls: {
    /** That of a call to this number (E.164 with its +); undefined while the platform starts. */
    account(number: string): Promise<string | undefined>;
  };
  /** Applications that external callers may call. */
  readonly publicApplications: {
    /** The account of an application with `public_uri` that answers calls; undefined for every other app_id. */
    account(applicationId: string): Promise<string | undefined>;
  };
  readonly bans: SourceBans;
  /** Accounts that are not active neither register nor call. */
  readonly accounts: {
    /** False for an account that is disabled or gone. */
    isActive(account: string): Promise<boolean>;
  };
  /** For the sandbox: elsewhere an attacker could fill the log. */
  readonly failedLogins: FailedLogins;
  /** The call that a phone of the sandbox with this leg has been told to make; found once. */
  readonly sandboxCall: (phoneLeg: string) => ExpectedCall | undefined;
}
