import { readRequest } from '@jackfield/contract';
import type { Database, Instant, Write } from '@jackfield/ports';
import type { Selectable } from 'kysely';
import { ownerNow, requireOwner, viewOf } from '../accounts/index.ts';
import type { Attempt, VerifySession } from './domain/session.ts';
import { type AttemptRow, reading, type SessionRow, type VerifyTables, writing } from './tables.ts';

/** Writes the change of a step; only `countCheck` writes the counter of checks. */
export async function saveSession(
  write: Write,
  before: VerifySession | undefined,
  after: VerifySession,
  incarnation: number,
): Promise<void> {
  const tables = writing(write);
  if (before === undefined) {
    await requireOwner(write, after.account, after.mainAccount);
    await tables
      .insertInto('verify_sessions')
      .values({ ...sessionRowOf(after), incarnation })
      .execute();
  } else {
    const ends = before.status === 'in-progress' && after.status !== 'in-progress';
    // A session that `passOnToMain` left to its subaccount goes over to the main account now.
    const owner = ends ? { account: await ownerNow(write, after.account, after.mainAccount) } : {};
    await tables
      .updateTable('verify_sessions')
      .set({ ...changing(after), ...owner })
      .where('session_uuid', '=', after.uuid)
      .execute();
  }
  const known = new Map(before?.attempts.map((attempt) => [attempt.uuid, attempt]));
  for (const attempt of after.attempts) {
    const earlier = known.get(attempt.uuid);
    if (earlier === attempt) continue;
    const { status, errorCode: error_code, message } = attempt;
    if (earlier === undefined) {
      await tables.insertInto('verify_attempts').values(attemptRowOf(after, attempt)).execute();
    } else {
      await tables
        .updateTable('verify_attempts')
        .set({ status, error_code, message })
        .where('attempt_uuid', '=', attempt.uuid)
        .execute();
    }
  }
}

/** The open sessions of an ended incarnation. */
export async function leftSessions(
  database: Pick<Database, 'read'>,
  ended: number,
): Promise<readonly VerifySession[]> {
  const rows = await reading(database.read)
    .selectFrom('verify_sessions')
    .selectAll()
    .where('closed_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
  const sessions: VerifySession[] = [];
  for (const row of rows) {
    const attempts = await attemptsOf(database, [row.session_uuid]);
    sessions.push(sessionOf(row, attempts));
  }
  return sessions;
}

/** From now on what `leftSessions` has given lives in this incarnation. */
export async function claimLeftSessions(write: Write, ended: number, incarnation: number): Promise<void> {
  await writing(write)
    .updateTable('verify_sessions')
    .set({ incarnation })
    .where('closed_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
}

export async function attemptsOf(
  database: Pick<Database, 'read'>,
  sessions: readonly string[],
): Promise<readonly AttemptRow[]> {
  if (sessions.length === 0) return [];
  return reading(database.read)
    .selectFrom('verify_attempts')
    .selectAll()
    .where('session_uuid', 'in', sessions)
    .orderBy('session_uuid')
    .orderBy('sequence')
    .execute();
}

export interface AliveSession {
  readonly session: string;
  /** Its checks are used up. */
  readonly isLocked: boolean;
  readonly expiresAt: Instant;
}

/** The session in progress of a recipient; its code may have expired a moment ago. */
export async function findAlive(
  database: Database,
  account: string,
  app: string,
  recipient: string,
): Promise<AliveSession | undefined> {
  const row = await reading(database.read)
    .selectFrom('verify_sessions')
    .select(['session_uuid', 'checks', 'max_checks', 'expires_at'])
    .where('account', '=', account)
    .where('app_uuid', '=', app)
    .where('recipient', '=', recipient)
    .where('status', '=', 'in-progress')
    .executeTakeFirst();
  return (
    row && {
      session: row.session_uuid,
      isLocked: row.checks >= row.max_checks,
      expiresAt: row.expires_at,
    }
  );
}

export async function hasRecord({ read }: Pick<Database, 'read'>, session: string): Promise<boolean> {
  const row = await reading(read)
    .selectFrom('verify_sessions')
    .select('session_uuid')
    .where('session_uuid', '=', session)
    .executeTakeFirst();
  return row !== undefined;
}

/** The attempt with this gateway name; the latest, because gateways restart their numbers. */
export async function findByMessage(database: Database, message: string): Promise<KnownMessage | undefined> {
  const row = await reading(database.read)
    .selectFrom('verify_attempts as attempt')
    .innerJoin('verify_sessions as session', 'session.session_uuid', 'attempt.session_uuid')
    .select(['attempt.session_uuid', 'attempt.attempt_uuid', 'session.incarnation'])
    .where('attempt.message', '=', message)
    .orderBy('attempt.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (
    row && { session: row.session_uuid, attempt: row.attempt_uuid, incarnation: Number(row.incarnation) }
  );
}

/** Whose message it is, and in which incarnation the session lives, or has lived. */
interface KnownMessage {
  readonly session: string;
  readonly attempt: string;
  readonly incarnation: number;
}

export interface CheckOutcome {
  /** To compare the code with; undefined when no check is admitted. */
  readonly hash: string | undefined;
  readonly length: number;
  /** Of the session, also when the check is not admitted; undefined without a session. */
  readonly status: 'in-progress' | 'verified' | 'expired' | undefined;
  readonly expiresAt: Instant;
}

/** The account itself, or the main account. */
export interface Viewer {
  readonly authId: string;
  readonly isSubaccount: boolean;
}

/**
 * Counts a check before the comparison: the statement that raises the counter also returns the hash, so no two checks pass
 * on one count. A check of an ended session is counted too: otherwise the missing write would reveal, by its time,
 * that the session has ended.
 */
export async function countCheck(
  database: Database,
  viewer: Viewer,
  session: string,
  now: Instant,
): Promise<CheckOutcome> {
  return database.transact(
    async (write) => {
      const raised = await raiseChecks(write, viewer, session, now).executeTakeFirst();
      if (raised === undefined) {
        await writing(write)
          .updateTable('verify_sessions')
          .set(({ eb, ref }) => ({ late_checks: eb(ref('late_checks'), '+', 1) }))
          .where('session_uuid', '=', session)
          .where(viewOf(viewer), '=', viewer.authId)
          .execute();
      }
      const row = await writing(write)
        .selectFrom('verify_sessions')
        .select(['status', 'expires_at'])
        .where('session_uuid', '=', session)
        .where(viewOf(viewer), '=', viewer.authId)
        .executeTakeFirst();
      return {
        hash: raised?.code_hash,
        length: raised?.code_length ?? 0,
        status: row?.status,
        expiresAt: row?.expires_at ?? now,
      };
    },
    { isolation: 'read-committed', key: `verify-checks/${session}` },
  );
}

/** The statement of `countCheck`. */
export function raiseChecks(write: Write, viewer: Viewer, session: string, now: Instant) {
  return writing(write)
    .updateTable('verify_sessions')
    .set(({ eb, ref }) => ({ checks: eb(ref('checks'), '+', 1) }))
    .where('session_uuid', '=', session)
    .where(viewOf(viewer), '=', viewer.authId)
    .where('status', '=', 'in-progress')
    .where('expires_at', '>', now)
    .whereRef('checks', '<', 'max_checks')
    .returning(['code_hash', 'code_length']);
}

/** Removes sessions and apps of a subaccount. */
export async function removeOfAccount(write: Write, account: string): Promise<void> {
  const tables = writing(write);
  const gone = await tables
    .deleteFrom('verify_sessions')
    .where('account', '=', account)
    .returning('session_uuid')
    .execute();
  for (let at = 0; at < gone.length; at += 500) {
    const ids = gone.slice(at, at + 500).map(({ session_uuid }) => session_uuid);
    await tables.deleteFrom('verify_attempts').where('session_uuid', 'in', ids).execute();
  }
  await tables.deleteFrom('verify_apps').where('account', '=', account).execute();
}

/** The oldest first; their codes have expired and no receipt is expected. Resolves with their number. */
export function removeClosedSessions(
  database: Database,
  closedBefore: Instant,
  limit: number,
): Promise<number> {
  return database.transact(async (write) => {
    const tables = writing(write);
    const old = await tables
      .selectFrom('verify_sessions')
      .select('session_uuid')
      .where('closed_at', 'is not', null)
      .where('closed_at', '<', closedBefore)
      .orderBy('closed_at')
      .limit(limit)
      .execute();
    if (old.length === 0) return 0;
    const ids = old.map(({ session_uuid }) => session_uuid);
    await tables.deleteFrom('verify_attempts').where('session_uuid', 'in', ids).execute();
    await tables.deleteFrom('verify_sessions').where('session_uuid', 'in', ids).execute();
    return old.length;
  });
}

/**
 * Live sessions go on under the main account. Where it has a live session of the same app and recipient, that of the subaccount keeps its
 * account until its end: both codes stay valid.
 */
export async function passOnToMain(write: Write, account: string, main: string): Promise<void> {
  const tables = writing(write);
  await tables
    .updateTable('verify_apps')
    .set({ account: main, is_default: 0 })
    .where('account', '=', account)
    .execute();
  await tables
    .updateTable('verify_sessions')
    .set({ account: main })
    .where('account', '=', account)
    .where(({ eb, exists, not, or, selectFrom }) => {
      const aliveOfMain = selectFrom('verify_sessions as other')
        .select('other.session_uuid')
        .where('other.account', '=', main)
        .whereRef('other.app_uuid', '=', 'verify_sessions.app_uuid')
        .whereRef('other.recipient', '=', 'verify_sessions.recipient')
        .where('other.status', '=', 'in-progress');
      return or([eb('status', '!=', 'in-progress'), not(exists(aliveOfMain))]);
    })
    .execute();
}

function sessionRowOf(session: VerifySession): Omit<SessionRow, 'incarnation'> {
  return {
    session_uuid: session.uuid,
    account: session.account,
    main_account: session.mainAccount,
    app_uuid: session.appUuid,
    alias: session.alias,
    recipient: session.recipient,
    country: session.country,
    requestor_ip: session.requestorIp,
    template: session.template,
    code_length: session.codeLength,
    code_hash: session.codeHash,
    max_attempts: session.maxAttempts,
    max_checks: session.maxChecks,
    checks: 0,
    late_checks: 0,
    voice_fallback: session.voiceFallback ? 1 : 0,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    ...changing(session),
  };
}

function changing(session: VerifySession) {
  const last = session.attempts.at(-1);
  return {
    status: session.status,
    callback_url: session.callback?.url ?? null,
    callback_method: session.callback?.method ?? null,
    sealed_code: session.sealedCode,
    updated_at: session.updatedAt,
    closed_at: session.closedAt,
    brand_name: last?.brandName ?? null,
    app_hash: last?.appHash ?? null,
  };
}

function attemptRowOf(session: VerifySession, attempt: Attempt): Selectable<VerifyTables['verify_attempts']> {
  return {
    attempt_uuid: attempt.uuid,
    session_uuid: session.uuid,
    sequence: attempt.sequence,
    channel: attempt.channel,
    status: attempt.status,
    error_code: attempt.errorCode,
    created_at: attempt.at,
    locale: attempt.locale,
    brand_name: attempt.brandName,
    app_hash: attempt.appHash,
    dtmf: attempt.dtmf ? 1 : 0,
    fraud_check: attempt.fraudCheck,
    sender: attempt.sender,
    message: attempt.message,
  };
}

function sessionOf(row: SessionRow, attempts: readonly AttemptRow[]): VerifySession {
  return {
    uuid: row.session_uuid,
    account: row.account,
    mainAccount: row.main_account,
    appUuid: row.app_uuid,
    alias: row.alias,
    recipient: row.recipient,
    country: row.country,
    requestorIp: row.requestor_ip,
    status: row.status,
    callback: readRequest(row.callback_url, row.callback_method),
    template: row.template,
    codeLength: row.code_length,
    codeHash: row.code_hash,
    sealedCode: row.sealed_code,
    maxAttempts: row.max_attempts,
    maxChecks: row.max_checks,
    voiceFallback: row.voice_fallback === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    attempts: attempts.map((attempt) => ({
      uuid: attempt.attempt_uuid,
      sequence: attempt.sequence,
      channel: attempt.channel,
      status: attempt.status,
      errorCode: attempt.error_code,
      at: attempt.created_at,
      locale: attempt.locale,
      brandName: attempt.brand_name,
      appHash: attempt.app_hash,
      dtmf: attempt.dtmf === 1,
      fraudCheck: attempt.fraud_check,
      sender: attempt.sender,
      message: attempt.message,
      isSpeaking: false,
    })),
  };
}
