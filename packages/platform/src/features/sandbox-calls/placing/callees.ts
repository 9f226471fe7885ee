import type { Registrations } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import { invalidParameter, type Problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { AnsweringApplications } from '../../applications/index.ts';
import { readDestination } from '../../calls/index.ts';

export interface CalleeDeps {
  readonly domains: readonly string[];
  readonly registrations: Pick<Registrations, 'credentialOf'>;
  readonly answering: Pick<AnsweringApplications, 'accountOf' | 'isDialled'>;
  /** The account of a carrier's call to this number. */
  readonly accountOfNumber: (number: string) => Promise<string | undefined>;
  /** True when `account` is `owner` or one of its subaccounts. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

/** A callee that belongs to the account. */
export interface Callee {
  /** The user part of the Request-URI. */
  readonly user: string;
  /** The account of the call. */
  readonly account: string;
  readonly isNumber: boolean;
}

const allowed =
  'a number or an application of the account, or the username or SIP URI of one of its endpoints';

/** Reads `to` of an order; the same refusal for an unknown callee and a callee of another account. */
export async function findCallee(
  deps: CalleeDeps,
  viewer: RequestAccount,
  to: string,
): Promise<Result<Callee>> {
  const destination = readDestination(to, [...deps.domains, ...deps.domains.map((each) => `app.${each}`)]);
  const unknown: { ok: false; problem: Problem } = refused(invalidParameter('to', to, allowed));
  if (destination.kind === 'number') {
    const { number } = destination;
    const account = await deps.accountOfNumber(number);
    if (account === undefined || !(await deps.isWithin(account, viewer.authId))) return unknown;
    return accepted({ user: number, account, isNumber: true });
  }
  if (destination.kind !== 'user') return unknown;
  const { user } = destination;
  if (deps.answering.isDialled(user)) {
    const account = await deps.answering.accountOf(user, viewer.main);
    if (account === undefined || !(await deps.isWithin(account, viewer.authId))) return unknown;
    return accepted({ user, account: viewer.authId, isNumber: false });
  }
  const credential = await deps.registrations.credentialOf(user);
  if (credential === undefined || !(await deps.isWithin(credential.account, viewer.authId))) return unknown;
  return accepted({ user, account: credential.account, isNumber: false });
}
