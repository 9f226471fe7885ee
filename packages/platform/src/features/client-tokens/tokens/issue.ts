import {
  maxTokenSeconds,
  minTokenSeconds,
  type NewClientToken,
  readBoolean,
  readInteger,
} from '@jackfield/contract';
import type { Instant } from '@jackfield/ports';
import { SignJWT } from 'jose/jwt/sign';
import type { RequestAccount } from '../../../http/index.ts';
import { invalidParameter, missingParameter, notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';

export interface IssueDeps {
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Whether it can answer calls of the account. */
  readonly isApplication: (account: RequestAccount, appId: string) => Promise<boolean>;
}

/** Clients have their own clocks, and a request needs some time: an exact limit on their clock is not refused. */
const toleratedSeconds = 10;

/** A token signed with the account's auth_token: programs with the auth_token can make such tokens themselves. */
export async function issueToken(
  deps: IssueDeps,
  account: RequestAccount,
  spec: NewClientToken,
  now: Instant,
): Promise<Result<string>> {
  const { iss = account.authId, sub = '', app = '', per } = spec;
  if (iss !== account.authId) return refused(invalidParameter('iss', iss, 'the auth_id of the path'));
  const times = timesOf(spec, Math.floor(now / 1000));
  if (!times.ok) return times;
  const incoming = per === undefined ? sub !== '' : (readBoolean(per.voice?.incoming_allow) ?? false);
  const outgoing = per === undefined ? true : (readBoolean(per.voice?.outgoing_allow) ?? false);
  // A client without a name cannot be called.
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

/**
 * One published page counts from the creation, another from nbf: both limits hold (docs/interface/client-tokens.md#issuing). A token without
 * nbf begins now, or 24 hours before its exp: admission refuses a longer one with 10009.
 */
function timesOf(spec: NewClientToken, now: number): Result<{ readonly nbf: number; readonly exp: number }> {
  const requested = readInteger(spec.nbf);
  const exp = readInteger(spec.exp) ?? Math.min(requested ?? now, now) + maxTokenSeconds;
  const nbf = requested ?? Math.max(now, exp - maxTokenSeconds);
  const [shortest, longest] = [minTokenSeconds - toleratedSeconds, maxTokenSeconds + toleratedSeconds];
  const isLong = exp - now >= shortest && (requested === undefined || exp - requested >= minTokenSeconds);
  const isShort = exp - now <= longest && exp - nbf <= maxTokenSeconds;
  if (isLong && isShort) return accepted({ nbf, exp });
  return refused(
    spec.exp === undefined
      ? invalidParameter(
          'nbf',
          spec.nbf,
          'a time from which the token can live for 3 minutes within 24 hours from now',
        )
      : invalidParameter(
          'exp',
          spec.exp,
          '3 minutes to 24 hours from now, and from nbf, in seconds since 1970',
        ),
  );
}
