import type { Database } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import { type ApplicationsTables, tablesOf } from '../tables.ts';

/** Where an application has its calls answered. */
export interface AnsweringApplication {
  readonly applicationId: string;
  readonly answer: Destination;
  /** Asked when `answer` cannot be had. */
  readonly fallback: Destination | null;
  /** Told of the end. */
  readonly hangup: Destination;
}

interface Destination {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** docs/interface/applications.md#fields: an app_id has 17 digits, two more than any number of the public network (E.164). */
const applicationId = /^[0-9]{17}$/;

type Row = ApplicationsTables['applications'];

/** Applications as calls see them. */
export interface AnsweringApplications {
  /** Undefined for one that does not exist, has no answer_url, or belongs to another main account and is not public. */
  answerOf(id: string, mainAccount: string): Promise<AnsweringApplication | undefined>;
  /** That with default_number_app of exactly this account. */
  answerOfNumbers(account: string): Promise<AnsweringApplication | undefined>;
  /** The account of one with `public_uri` that answers calls: external callers may call it. Undefined for every other. */
  accountOfPublic(id: string): Promise<string | undefined>;
  /** Whether what was dialled names an application rather than a phone. */
  isDialled(to: string): boolean;
}

export function createAnsweringApplications({ read }: Pick<Database, 'read'>): AnsweringApplications {
  const compiled = tablesOf(read)
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
  const ofNumbers = tablesOf(read)
    .selectFrom('applications')
    .select(['app_id', 'main_account'])
    .where('account', '=', '')
    // Written out: for a parameter the partial index would not be used.
    .where('default_number_app', '=', sql.lit(1))
    .compile();

  /** Undefined for one that does not exist or has no answer_url. */
  async function answeringRow(id: string): Promise<Row | undefined> {
    const query = { ...compiled, parameters: [id] } as CompiledQuery<Row>;
    const row = (await read.executeQuery(query)).rows[0];
    return row?.answer_url === '' ? undefined : row;
  }

  const answering: AnsweringApplications = {
    isDialled: (to) => applicationId.test(to),
    async answerOfNumbers(account) {
      const query: CompiledQuery<Pick<Row, 'app_id' | 'main_account'>> = {
        ...ofNumbers,
        parameters: [account],
      };
      const row = (await read.executeQuery(query)).rows[0];
      return row === undefined ? undefined : answering.answerOf(row.app_id, row.main_account);
    },
    async accountOfPublic(id) {
      const row = applicationId.test(id) ? await answeringRow(id) : undefined;
      return row?.public_uri === 1 ? row.account : undefined;
    },
    async answerOf(id, mainAccount) {
      const row = await answeringRow(id);
      if (row === undefined) return undefined;
      if (row.main_account !== mainAccount && row.public_uri === 0) return undefined;
      const answer = { url: row.answer_url, method: row.answer_method };
      return {
        applicationId: row.app_id,
        answer,
        fallback:
          row.fallback_answer_url === ''
            ? null
            : { url: row.fallback_answer_url, method: row.fallback_method },
        // docs/interface/applications.md#hangup-url: without a URL of its own the end is told to answer_url.
        hangup: row.hangup_url === '' ? answer : { url: row.hangup_url, method: row.hangup_method },
      };
    },
  };
  return answering;
}
