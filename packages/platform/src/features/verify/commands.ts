import { isIP } from 'node:net';
import {
  fraudLevels,
  type NewVerifySession,
  readInteger,
  readOneOf,
  readRequest,
  type VerifyCheck,
} from '@jackfield/contract';
import type { Clock, Database, Instant, Logger, Metrics, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { createKeyedQueue } from '../../kernel/keyed-queue.ts';
import {
  draining,
  invalidParameter,
  notFound,
  type Problem,
  problem,
  tooManyRequests,
  unavailable,
} from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import type { AppStore } from './app-store.ts';
import { type Recipient, readRecipient } from './delivery/recipient.ts';
import { codeFrom } from './domain/code.ts';
import type { AttemptReply, AttemptSpec, SessionInput, VerifySession } from './domain/session.ts';
import type { Admission, Limiter } from './limits/limiter.ts';
import type { ReportRefusal } from './refusals.ts';
import { type AliveSession, countCheck, findAlive } from './store.ts';
import type { AppRow } from './tables.ts';

export interface CommandDeps {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly apps: AppStore;
  readonly limiter: Limiter;
  readonly sessions: Sessions<VerifySession, SessionInput>;
  readonly reportRefusal: ReportRefusal;
  readonly isDraining?: () => boolean;
}

/** The hosted service's code of an attempt that its fraud shield has blocked (docs/interface/verify.md#attempts). */
const blockedCode = '452';
const retrySeconds = 5;

export type StartSession = (
  account: RequestAccount,
  requested: NewVerifySession,
  now: Instant,
) => Promise<Result<string>>;

/** Begins a session, or sends the code of the live session again; resolves with its UUID. */
export function createStart(deps: CommandDeps): StartSession {
  const { apps, sessions, limiter, reportRefusal } = deps;
  // Two concurrent requests must not begin two sessions.
  const beginning = createKeyedQueue();

  return async (account, requested, now) => {
    if (deps.isDraining?.() === true) return refused(draining(retrySeconds));
    const recipient = readRecipient(requested.recipient);
    if (recipient === undefined) {
      const allowed = 'a phone number that exists, in E.164 format, such as +12025550100';
      return refused(invalidParameter('recipient', requested.recipient, allowed));
    }
    if (requested.requestor_ip !== undefined && isIP(requested.requestor_ip) === 0) {
      return refused(invalidParameter('requestor_ip', requested.requestor_ip, 'an IP address'));
    }
    const app =
      requested.app_uuid === undefined || requested.app_uuid === ''
        ? await apps.ensureDefault(account, now)
        : await apps.find(account, requested.app_uuid);
    if (app === undefined) {
      return refused(invalidParameter('app_uuid', requested.app_uuid, 'the identifier of one of your apps'));
    }
    if (!isAllowed(app, recipient)) {
      reportRefusal(account.authId, account.main, 'country', recipient.number);
      const allowed = 'a number of a country that the app allows';
      return refused(invalidParameter('recipient', requested.recipient, allowed));
    }
    return beginning.run(`${account.authId}/${app.app_uuid}/${recipient.number}`, async () => {
      const alive = await findAlive(deps.database, account.authId, app.app_uuid, recipient.number);
      const spent = alive && spentCode(alive, sessions.peek(alive.session), sessions.nowOf(alive.session));
      if (spent !== undefined) return refused(spent);
      const level = readOneOf(fraudLevels, requested.fraud_check) ?? app.fraud_shield;
      let admission: Admission;
      try {
        const requestorIp = requested.requestor_ip ?? null;
        const send = { account: account.authId, recipient: recipient.number, requestorIp, level };
        admission = await limiter.admit(send, deps.clock.now());
      } catch (err) {
        // A send that cannot be counted is refused.
        deps.log.error({ err, account: account.authId }, 'limits of sends could not be checked');
        return refused(unavailable('counter of sends', retrySeconds));
      }
      if (admission.kind === 'limited') {
        reportRefusal(account.authId, account.main, `${admission.scope}-limit`, recipient.number);
        return refused(limited(admission));
      }
      if (admission.kind === 'blocked') {
        reportRefusal(account.authId, account.main, admission.reason, recipient.number);
      }
      const isBlocked = admission.kind === 'blocked';
      const attempt = attemptOf(deps.secrets.randomUuid(), requested, app, isBlocked ? blockedCode : null);
      return begin(account, app, recipient, requested, attempt, alive, now);
    });
  };

  async function begin(
    account: RequestAccount,
    app: AppRow,
    recipient: Recipient,
    requested: NewVerifySession,
    attempt: AttemptSpec,
    alive: AliveSession | undefined,
    now: Instant,
  ): Promise<Result<string>> {
    const callback = readRequest(requested.url, requested.method);
    const input: SessionInput = { type: 'attempt-asked', attempt, callback };
    if (alive !== undefined) {
      const reply = await sessions.ask<AttemptReply>(alive.session, input);
      if (reply === 'begun') return accepted(alive.session);
      // A concurrent fallback call used the last attempt.
      if (reply === 'exhausted')
        return refused(sentTooOften(app.max_attempts, waitSecondsOf(alive, sessions.nowOf(alive.session))));
    }
    const session = newSession(deps.secrets, account, app, recipient, requested, now);
    try {
      await sessions.open(session.uuid, session, input);
    } catch (error) {
      if (deps.database.isUniqueViolation(error)) return refused(begunElsewhere);
      throw error;
    }
    return accepted(session.uuid);
  }
}

/** Requests at two nodes at once. */
const begunElsewhere = problem(
  'conflict',
  'a session of this recipient has just begun at another node: repeat the request',
);

/** Why the code of a session is not sent again; checked before a send is counted. Creates of one recipient are sequential. */
function spentCode(
  alive: AliveSession,
  session: VerifySession | undefined,
  now: Instant,
): Problem | undefined {
  if (now >= alive.expiresAt) return undefined;
  const waitSeconds = waitSecondsOf(alive, now);
  if (alive.isLocked) {
    // No check of that code can succeed any more: sending it would cost money and mislead.
    const sentence = `the code of this recipient was checked too often; another one can be sent in ${waitSeconds} s`;
    return tooManyRequests(sentence, waitSeconds);
  }
  if (session === undefined || session.attempts.length < session.maxAttempts) return undefined;
  return sentTooOften(session.maxAttempts, waitSeconds);
}

function waitSecondsOf({ expiresAt }: AliveSession, now: Instant): number {
  return Math.max(1, Math.ceil((expiresAt - now) / 1000));
}

function sentTooOften(times: number, waitSeconds: number): Problem {
  const sentence = `the code has been sent ${times} times, which is as often as the app allows`;
  return tooManyRequests(sentence, waitSeconds);
}

function isAllowed({ allowed_countries: allowed }: AppRow, { country }: Recipient): boolean {
  return allowed === '' || (country !== null && allowed.split(',').includes(country));
}

function limited({ scope, retryAfterSeconds }: Extract<Admission, { kind: 'limited' }>): Problem {
  const whose = {
    recipient: 'to this recipient',
    source: 'for this requestor_ip',
    account: 'by this account',
  };
  const sentence = `too many codes were sent ${whose[scope]}; try again in ${retryAfterSeconds} s`;
  return tooManyRequests(sentence, retryAfterSeconds);
}

function attemptOf(
  uuid: string,
  requested: NewVerifySession,
  app: AppRow,
  blockedBy: string | null,
): AttemptSpec {
  return {
    uuid,
    channel: readOneOf(['sms', 'voice'], requested.channel) ?? 'sms',
    locale: requested.locale ?? 'en',
    brandName: (requested.brand_name ?? app.brand_name) || null,
    appHash: (requested.app_hash ?? app.app_hash) || null,
    dtmf: ['1', 'true'].includes(String(requested.dtmf ?? 0)),
    fraudCheck: requested.fraud_check ?? null,
    sender: (requested.src ?? app.sender) || null,
    blockedBy,
  };
}

function newSession(
  secrets: Secrets,
  account: RequestAccount,
  app: AppRow,
  recipient: Recipient,
  requested: NewVerifySession,
  now: Instant,
): VerifySession {
  const uuid = secrets.randomUuid();
  const codeLength = readInteger(requested.code_length) ?? app.code_length;
  const code = newCode(secrets, codeLength);
  return {
    uuid,
    account: account.authId,
    mainAccount: account.main,
    appUuid: app.app_uuid,
    alias: app.alias,
    recipient: recipient.number,
    country: recipient.country,
    requestorIp: requested.requestor_ip ?? null,
    status: 'in-progress',
    callback: null,
    template: app.sms_template,
    codeLength,
    codeHash: hashOf(secrets, uuid, code),
    sealedCode: secrets.encrypt(code),
    maxAttempts: app.max_attempts,
    maxChecks: app.max_validations,
    voiceFallback: app.voice_fallback === 1,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + app.code_expiry * 60_000,
    closedAt: null,
    attempts: [],
  };
}

function newCode(secrets: Secrets, length: number): string {
  for (;;) {
    const code = codeFrom(secrets.randomBytes(length * 2), length);
    if (code !== undefined) return code;
  }
}

/** Bound to its session, so that equal codes have different hashes. */
function hashOf(secrets: Secrets, session: string, code: string): string {
  return secrets.keyedHash(`verify ${session} ${code}`);
}

export type CheckCode = (
  account: RequestAccount,
  session: string,
  given: VerifyCheck['otp'],
) => Promise<Result<string>>;

/**
 * Accepts the code of a session once. A wrong code and a session that is over get the same answer, and every path
 * costs the same statements, one hash and one comparison.
 */
export function createCheck({ database, secrets, sessions, metrics }: CommandDeps): CheckCode {
  const counted = (outcome: string) => metrics.count('jackfield_verify_checks_total', { outcome });

  return async (account, named, given) => {
    const session = named.toLowerCase();
    const now = sessions.nowOf(session);
    const check = await countCheck(database, account, session, now);
    // A code that was sent as a number has lost its leading zeros.
    const code = typeof given === 'number' ? String(given).padStart(check.length, '0') : given;
    const hash = hashOf(secrets, session, code);
    const isRight = secrets.equals(hash, check.hash ?? secrets.keyedHash(`verify nothing ${hash}`));
    if (
      check.hash !== undefined &&
      isRight &&
      (await sessions.ask<boolean>(session, { type: 'code-matched' }))
    ) {
      counted('verified');
      return accepted(session);
    }
    if (check.status === undefined) {
      counted('unknown');
      return refused(notFound('session', named));
    }
    const isLocked = check.hash === undefined && check.status === 'in-progress' && now < check.expiresAt;
    counted(isLocked ? 'locked' : 'refused');
    if (isLocked) {
      const waitSeconds = Math.max(1, Math.ceil((check.expiresAt - now) / 1000));
      return refused(tooManyRequests('the code of this session was checked too often', waitSeconds));
    }
    return refused(problem('incorrect-otp', 'incorrect otp'));
  };
}
