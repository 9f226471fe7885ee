import type { Instant } from '@jackfield/ports';

/** The account of the request's path: authenticated itself, or a subaccount of the authenticated account. */
export interface RequestAccount {
  readonly authId: string;
  readonly isSubaccount: boolean;
  /** The main account of a subaccount. */
  readonly parent: string | null;
  /** The main account: `parent`, or `authId` itself. Records name it, so that a main account sees those of its subaccounts. */
  readonly main: string;
}

export interface ApiRequest<Params, Query, Body> {
  readonly account: RequestAccount;
  readonly params: Params;
  /** Parameters that the operation knows; of a DELETE the query and the body together. */
  readonly query: Query;
  /** Validated, not coerced: loose values go through readBoolean, readInteger, readOneOf. */
  readonly body: Body;
  readonly apiId: string;
  readonly now: Instant;
  /** The session of the web console that sent it; absent for HTTP Basic. */
  readonly session?: { readonly id: string };
}
