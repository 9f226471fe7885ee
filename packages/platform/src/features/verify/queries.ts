import {
  readOneOf,
  type VerifySessionItem,
  type VerifySessionListQuery,
  verifyStatuses,
} from '@jackfield/contract';
import type { Database, Instant } from '@jackfield/ports';
import type { Page } from '../../kernel/pagination.ts';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readTimeRange, type TimeRange } from '../../kernel/time-range.ts';
import { digitsOf } from './delivery/recipient.ts';
import type { SessionStatus } from './domain/session.ts';
import { attemptsOf } from './store.ts';
import { type AttemptRow, reading, type SessionRow } from './tables.ts';

export interface Viewer {
  readonly authId: string;
  readonly isSubaccount: boolean;
  readonly main: string;
}

export interface SessionFilters {
  readonly status: SessionStatus | undefined;
  readonly recipient: string | undefined;
  readonly app: string | undefined;
  readonly country: string | undefined;
  readonly alias: string | undefined;
  readonly subaccount: string | undefined;
  readonly brandName: string | undefined;
  readonly appHash: string | undefined;
  readonly begun: TimeRange | undefined;
}

/** docs/interface/verify.md#sessions: the range of lists. */
const listedMs = 90 * 86_400_000;

export function readSessionFilters(query: VerifySessionListQuery): Result<SessionFilters> {
  const begun = readTimeRange(query, 'session_time');
  if (!begun.ok) return begun;
  const { recipient } = query;
  const status = readOneOf(verifyStatuses, query.status);
  if (query.status !== undefined && status === undefined) {
    return refused(invalidParameter('status', query.status, 'in-progress, verified or expired'));
  }
  return accepted({
    status,
    // An unescaped + arrives as a space.
    recipient: recipient === undefined ? undefined : `+${recipient.replace(/^[+ ]/, '')}`,
    app: query.app_uuid?.toLowerCase(),
    country: query.country?.toUpperCase(),
    alias: query.alias,
    subaccount: query.subaccount,
    brandName: query.brand_name,
    appHash: query.app_hash,
    begun: begun.value,
  });
}

export type SessionQueries = ReturnType<typeof createQueries>;

export function createQueries(database: Database) {
  const tables = reading(database.read);
  const seenBy = ({ authId, isSubaccount }: Viewer) =>
    tables.selectFrom('verify_sessions').where(isSubaccount ? 'account' : 'main_account', '=', authId);

  return {
    async find(viewer: Viewer, session: string): Promise<VerifySessionItem | undefined> {
      const row = await seenBy(viewer)
        .selectAll()
        .where('session_uuid', '=', session.toLowerCase())
        .executeTakeFirst();
      return row && sessionItemOf(row, await attemptsOf(database, [row.session_uuid]));
    },

    /** Newest first; the identifier orders sessions of one millisecond. */
    async list(
      viewer: Viewer,
      filters: SessionFilters,
      page: Page,
      now: Instant,
    ): Promise<{ readonly total: number; readonly sessions: VerifySessionItem[] }> {
      const { status, recipient, app, country, alias, subaccount, brandName, appHash, begun } = filters;
      let requested = seenBy(viewer).where('created_at', '>=', Math.max(begun?.from ?? 0, now - listedMs));
      // The indexes of the filters begin with the main account.
      if (viewer.isSubaccount) requested = requested.where('main_account', '=', viewer.main);
      if (begun?.before !== undefined) requested = requested.where('created_at', '<', begun.before);
      if (subaccount !== undefined) requested = requested.where('account', '=', subaccount);
      if (status !== undefined) requested = requested.where('status', '=', status);
      if (recipient !== undefined) requested = requested.where('recipient', '=', recipient);
      if (app !== undefined) requested = requested.where('app_uuid', '=', app);
      if (country !== undefined) requested = requested.where('country', '=', country);
      if (alias !== undefined) requested = requested.where('alias', '=', alias);
      if (brandName !== undefined) requested = requested.where('brand_name', '=', brandName);
      if (appHash !== undefined) requested = requested.where('app_hash', '=', appHash);
      const [counted, rows] = await Promise.all([
        requested.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        requested
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('session_uuid', 'desc')
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      ]);
      const attempts = await attemptsOf(
        database,
        rows.map(({ session_uuid }) => session_uuid),
      );
      const of = Map.groupBy(attempts, ({ session_uuid }) => session_uuid);
      const sessions = rows.map((row) => sessionItemOf(row, of.get(row.session_uuid) ?? []));
      return { total: Number(counted.total), sessions };
    },
  };
}

/** Sessions are free of charge: the operator pays the carriers. */
const noCharge = '0.00000';

function sessionItemOf(row: SessionRow, attempts: readonly AttemptRow[]): VerifySessionItem {
  const last = attempts.at(-1);
  return {
    session_uuid: row.session_uuid,
    app_uuid: row.app_uuid,
    alias: row.alias,
    recipient: digitsOf(row.recipient),
    channel: last?.channel ?? 'sms',
    locale: last?.locale ?? 'en',
    status: row.status,
    count: attempts.length,
    requestor_ip: row.requestor_ip,
    destination_country_iso2: row.country,
    destination_network: null,
    attempt_details: attempts.length === 0 ? null : attempts.map((each) => attemptItemOf(row, each)),
    charges: {
      total_charge: '0',
      validation_charge: '0.0000',
      attempt_charges:
        attempts.length === 0
          ? null
          : attempts.map(({ attempt_uuid, channel }) => ({ attempt_uuid, channel, charge: noCharge })),
    },
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
  };
}

function attemptItemOf({ code_length }: SessionRow, attempt: AttemptRow) {
  const { channel, attempt_uuid, status, brand_name, app_hash, dtmf, fraud_check } = attempt;
  return {
    channel,
    attempt_uuid,
    status,
    time: rfc3339(attempt.created_at),
    ...(brand_name === null ? {} : { brand_name }),
    ...(app_hash === null ? {} : { app_hash }),
    code_length,
    dtmf,
    ...(fraud_check === null ? {} : { fraud_check }),
    channel_error_code: attempt.error_code,
  };
}

/** With T and a zone: some clients read no other form (docs/interface/verify.md#sessions). */
function rfc3339(at: Instant): string {
  return new Date(at).toISOString();
}
