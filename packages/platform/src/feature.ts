import type { CarrierRequests, Migration, Write } from '@jackfield/ports';
import type { RequestAccount, ResourceHome, RouteGroup } from './http/index.ts';
import type { EndedIncarnation } from './kernel/incarnation.ts';
import type { RetainedRecords } from './kernel/retention.ts';
import type { FoundRecord, SearchTerm } from './kernel/search-term.ts';

/**
 * The contributions of a feature to the platform. `create-platform.ts` uses nothing else of it: it folds the features, in the order of
 * their list, into migrations, routes, records to remove and the phases of the process: end of earlier incarnations, restore, open, drain, close, release.
 */
export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  readonly migrations?: readonly Migration[];
  /** Operations, grouped as the documentation shows them. */
  readonly routes?: readonly RouteGroup[];
  /** Where its things live, for requests that change them. */
  readonly homes?: readonly ResourceHome[];
  /** Removes or passes on its records when a subaccount is deleted. */
  readonly resources?: AccountResources;
  /** Records that are removed a configured time after the end of their subject. */
  readonly retained?: RetainedRecords;
  /** Finds its records that the viewer sees. */
  readonly search?: Search;
  /** Open resources that are no sessions of the runner, by kind; all zero after the last call. */
  census?(): Readonly<Record<string, number>>;
  /**
   * Ends or takes over all that lived in an incarnation that has ended; at a start before the first request and the first call. Begins
   * anew where it was cut off. Resolves with the number, where it is counted.
   */
  endIncarnation?(ended: EndedIncarnation): Promise<unknown>;
  /** Reads what it must know before the first request, after `endIncarnation`. */
  restore?(): Promise<unknown>;
  /**
   * Begins its own activity, after all features are restored and signalling is open. `operator` is the first account; `carriers` asks
   * signalling to register with carriers and probe them.
   */
  open?(operator: string, carriers: CarrierRequests | undefined): void;
  /** The process will stop: ends at once what the HTTP interface would wait for. May be called twice. */
  drain?(): void;
  /** Ends live work: requests are refused, the session runner still works. */
  close?(): void | Promise<void>;
  /** Frees its resources, after the session runner has stopped. */
  release?(): void | Promise<void>;
}

/** Reads indexes alone, and finds at most `limit` of each kind. */
export type Search = (
  viewer: RequestAccount,
  term: SearchTerm,
  limit: number,
) => Promise<readonly FoundRecord[]>;

/** What happens to the records of a feature, and to what lives, when a subaccount is deleted or disabled. */
export interface AccountResources {
  /** In the transaction of the removal. What lives keeps its record until its end. */
  remove(write: Write, account: string): Promise<void>;
  /** In the transaction of the removal: gives them to the main account, which could see them before. */
  passOn(write: Write, account: string, main: string): Promise<void>;
  /**
   * In the transaction that disables the subaccount or enables it again: removes what lets people in without its credentials. Enabled again,
   * too: a login may have been under way when it was disabled.
   */
  endLogins?(write: Write, account: string): Promise<void>;
  /** After the removal: ends what lives at this node. Each node does so, in the order of the features, and may do so again. */
  endLive?(account: string): Promise<void>;
  /** Subaccounts of which something lives at this node. */
  liveSubaccounts?(): Promise<readonly string[]>;
}
