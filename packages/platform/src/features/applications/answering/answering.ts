import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';
import { rowLookup } from '../../../kernel/row-lookup.ts';
import { type ApplicationsTables, tablesOf } from '../tables.ts';

/** The URLs of an application that answers calls. */
export interface AnsweringApplication {
  readonly applicationId: string;
  readonly account: string;
  readonly answer: Destination;
  /** Requested when `answer` fails. */
  readonly fallback: Destination | null;
  /** Receives the callback of the end. */
  readonly hangup: Destination;
}

interface Destination {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** docs/interface/applications.md#fields: an app_id has 17 digits, two more than any number of the public network (E.164). */
const applicationId = /^[0-9]{17}$/;

type Row = ApplicationsTables['applications'];

/** Look-ups of applications for calls. */
export interface AnsweringApplications {
  /** Undefined when it does not exist, has no answer_url, or belongs to another main account and is not public. */
  answerOf(id: string, mainAccount: string): Promise<AnsweringApplication | undefined>;
  /** The account of an application that `answerOf` finds. */
  accountOf(id: string, mainAccount: string): Promise<string | undefined>;
  /** The application with default_number_app of exactly this account. */
  answerOfNumbers(account: string): Promise<AnsweringApplication | undefined>;
  /** The account of an application with `public_uri` and an answer_url, which external callers may call; undefined for any other. */
  accountOfPublic(id: string): Promise<string | undefined>;
  /** Whether the dialled text names an application rather than a phone. */
  isDialled(to: string): boolean;
}

export function createAnsweringApplications(database: Pick<Database, 'read'>): AnsweringApplications {
  const compiled = tablesOf(database.read)
    .selectFrom('applications')
    .select([
      'app_id',
      'account',
      'main_account',
      'public_uri',
      'answer_url',
      'answer_method',
      'fallback_answer_url',
      'fallback_method',
      'hangup_url',
      'hangup_method',
    ])
    .where('app_id', '=', '')
    .compile();
  const ofNumbers = tablesOf(database.read)
    .selectFrom('applications')
    .select(['app_id', 'main_account'])
    .where('account', '=', '')
    // Literal: with a parameter the partial index would not be used.
    .where('default_number_app', '=', sql.lit(1))
    .compile();

  const rowOf = rowLookup<Row>(database, compiled);
  const defaultOf = rowLookup<Pick<Row, 'app_id' | 'main_account'>>(database, ofNumbers);

  /** Undefined when it does not exist or has no answer_url. */
  async function answeringRow(id: string): Promise<Row | undefined> {
    const row = await rowOf(id);
    return row?.answer_url === '' ? undefined : row;
  }

  async function reachableRow(id: string, mainAccount: string): Promise<Row | undefined> {
    const row = await answeringRow(id);
    return row?.main_account === mainAccount || row?.public_uri === 1 ? row : undefined;
  }

  const answering: AnsweringApplications = {
    isDialled: (to) => applicationId.test(to),
    async answerOfNumbers(account) {
      const row = await defaultOf(account);
      return row === undefined ? undefined : answering.answerOf(row.app_id, row.main_account);
    },
    async accountOfPublic(id) {
      const row = applicationId.test(id) ? await answeringRow(id) : undefined;
      return row?.public_uri === 1 ? row.account : undefined;
    },
    accountOf: async (id, mainAccount) => (await reachableRow(id, mainAccount))?.account,
    async answerOf(id, mainAccount) {
      const row = await reachableRow(id, mainAccount);
      if (row === undefined) return undefined;
      const answer = { url: row.answer_url, method: row.answer_method };
      return {
        applicationId: row.app_id,
        account: row.account,
        answer,
        fallback:
          row.fallback_answer_url === ''
            ? null
            : { url: row.fallback_answer_url, method: row.fallback_method },
        // docs/interface/applications.md#hangup-url: without a hangup_url the end is reported to answer_url.
        hangup: row.hangup_url === '' ? answer : { url: row.hangup_url, method: row.hangup_method },
      };
    },
  };
  return answering;
}
