import type { CarrierRequests, Migration, Write } from '@jackfield/ports';
import type { RouteGroup } from './http/index.ts';
import type { DiedAt } from './kernel/last-alive.ts';
import type { RetainedRecords } from './kernel/retention.ts';

/**
 * What a feature contributes to the platform. `create-platform.ts` knows nothing else of it: it folds the list of features, in the order of
 * that list, into migrations, routes, records to remove and the phases of a life: restore, open, drain, close, release.
 */
export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  readonly migrations?: readonly Migration[];
  /** Operations, grouped as the documentation shows them. */
  readonly routes?: readonly RouteGroup[];
  /** What becomes of its records when a subaccount is deleted. */
  readonly resources?: AccountResources;
  /** Records that are removed some time after the end of what they describe. */
  readonly retained?: RetainedRecords;
  /** Things that have not ended and are no sessions of the runner, by what they are; all zero when the last call is over. */
  census?(): Readonly<Record<string, number>>;
  /** Ends or resumes what the last process left behind; before the first request and the first call. Resolves with how much that was, where it is counted. */
  restore?(diedAt: DiedAt): Promise<unknown>;
  /**
   * Begins what it does by itself: everything is restored and signalling is open. `operator` is the first account, `carriers` how signalling
   * registers with carriers and probes them.
   */
  open?(operator: string, carriers: CarrierRequests | undefined): void;
  /** The process is going to stop: ends at once what the HTTP interface would wait for. May be called twice. */
  drain?(): void;
  /** Ends what lives: no request comes any more, the session runner still works. */
  close?(): void | Promise<void>;
  /** Frees what it holds: the session runner stands still. */
  release?(): void | Promise<void>;
}

/** What a feature stores for accounts, and what becomes of it when a subaccount goes. Runs in the transaction of the removal. */
export interface AccountResources {
  remove(write: Write, account: string): Promise<void>;
  /** To the main account, which saw them before as well. */
  passOn(write: Write, account: string, main: string): Promise<void>;
}
