import {
  maxTokenSeconds,
  minTokenSeconds,
  type NewClientToken,
  readBoolean,
  readInteger,
} from '@jackfield/contract';
import type { Instant } from '@jackfield/ports';
import { SignJWT } from 'jose';
import type { RequestAccount } from '../../../http/index.ts';
import { invalidParameter, missingParameter, notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';

export interface IssueDeps {
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Whether calls of the account can be answered by it. */
  readonly isApplication: (account: RequestAccount, appId: string) => Promise<boolean>;
}

/** Clients ask with their own clocks, and a request takes its time: what is exact for them is not refused for that. */
const toleratedSeconds = 10;

/** A token that is signed with the account's auth_token: programs that have it can make such tokens themselves. */
export async function issueToken(
  deps: IssueDeps,
  account: RequestAccount,
  wish: NewClientToken,
  now: Instant,
): Promise<Result<string>> {
  const { iss = account.authId, sub = '', app = '', per } = wish;
  if (iss !== account.authId) return refused(invalidParameter('iss', iss, 'the auth_id of the path'));
  const times = timesOf(wish, Math.floor(now / 1000));
  if (!times.ok) return times;
  const incoming = per === undefined ? sub !== '' : (readBoolean(per.voice?.incoming_allow) ?? false);
  const outgoing = per === undefined ? true : (readBoolean(per.voice?.outgoing_allow) ?? false);
  // Nobody could call it: it has no name.
  if (incoming && sub === '') return refused(missingParameter('sub'));
  if (app !== '' && !(await deps.isApplication(account, app))) {
    return refused(invalidParameter('app', app, 'the identifier of one of your applications'));
  }
  const authToken = await deps.authTokenOf(account.authId);
  if (authToken === undefined) return refused(notFound('account', account.authId));
  // docs/interface/client-tokens.md#issuing: the keys in this order and of these types, and no others.
  const voice = { incoming_allow: incoming, outgoing_allow: outgoing };
  const payload = { app, exp: times.value.exp, iss, nbf: times.value.nbf, per: { voice }, sub };
  const token = await new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', cty: 'plivo;v=1', typ: 'JWT' })
    .sign(new TextEncoder().encode(authToken));
  return accepted(token);
}

/** One published page counts from the creation, another one from nbf: both hold (docs/interface/client-tokens.md#issuing). */
function timesOf(wish: NewClientToken, now: number): Result<{ readonly nbf: number; readonly exp: number }> {
  const nbf = readInteger(wish.nbf) ?? now;
  const exp = readInteger(wish.exp) ?? Math.min(nbf, now) + maxTokenSeconds;
  const [shortest, longest] = [minTokenSeconds - toleratedSeconds, maxTokenSeconds + toleratedSeconds];
  const isLong = exp - now >= shortest && exp - nbf >= minTokenSeconds;
  const isShort = exp - now <= longest && exp - nbf <= maxTokenSeconds;
  if (isLong && isShort) return accepted({ nbf, exp });
  return refused(
    wish.exp === undefined
      ? invalidParameter(
          'nbf',
          wish.nbf,
          'a time from which the token can live for 3 minutes within 24 hours from now',
        )
      : invalidParameter(
          'exp',
          wish.exp,
          '3 minutes to 24 hours from now, and from nbf, in seconds since 1970',
        ),
  );
}
