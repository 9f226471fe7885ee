import type { Instant } from '@jackfield/ports';

/** The account on whose path a request came: itself authenticated, or a subaccount of the one that is. */
export interface RequestAccount {
  readonly authId: string;
  readonly isSubaccount: boolean;
  /** The main account of a subaccount. */
  readonly parent: string | null;
  /** The main account: `parent`, or `authId` itself. What a main account sees is stored under this. */
  readonly main: string;
}

export interface ApiRequest<Params, Query, Body> {
  readonly account: RequestAccount;
  readonly params: Params;
  /** Of a DELETE: the query and the body together. */
  readonly query: Query;
  /** Validated, not coerced: loose values go through readBoolean, readInteger, readOneOf. */
  readonly body: Body;
  readonly apiId: string;
  readonly now: Instant;
}
