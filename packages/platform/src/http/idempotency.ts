import { type Clock, type Database, type Instant, type Logger, quoted, type Secrets } from '@jackfield/ports';
import { problem } from '../kernel/problem.ts';
import { accepted, type Result, refused } from '../kernel/result.ts';
import {
  findRecord,
  type IdempotencyRecord,
  type IdempotencyTables,
  openRecord,
  purgeRecords,
  type RequestIdentity,
  removeRecord,
  settleRecord,
} from './idempotency-records.ts';

/** An answer for the wire. */
export interface Answer {
  readonly status: number;
  readonly body: string | undefined;
  readonly retryAfterSeconds?: number;
}

export interface Replayable {
  readonly answer: Answer;
  readonly replayed: boolean;
}

export interface IdempotencyDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
}

const keptMs = 24 * 60 * 60 * 1000;
const purgeEveryMs = 10 * 60 * 1000;

const otherRequest = (key: string) =>
  problem(
    'idempotency-mismatch',
    `Idempotency-Key ${quoted(key)} was used for another request in the last 24 hours: use a new key for each request`,
  );
const outcomeUnknown = (key: string) =>
  problem(
    'idempotency-outcome-unknown',
    `an earlier request with Idempotency-Key ${quoted(key)} is under way or was cut off: read the resource before you repeat the request with a new key`,
  );

interface UnderWay {
  readonly fingerprint: string;
  readonly result: Promise<Result<Replayable>>;
}

/** Answers that are kept for their Idempotency-Key. */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #underWay = new Map<string, UnderWay>();
  #nextPurge: Instant = 0;

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /** Performs a request once in 24 hours, with the promises of README.md. Throws what `perform` throws. */
  async once(request: RequestIdentity, perform: () => Promise<Answer>): Promise<Result<Replayable>> {
    const name = JSON.stringify([request.account, request.key]);
    const first = this.#underWay.get(name);
    if (first !== undefined) {
      if (first.fingerprint !== request.fingerprint) return refused(otherRequest(request.key));
      const result = await first.result;
      return result.ok ? accepted({ answer: result.value.answer, replayed: true }) : result;
    }
    const result = this.#performFirst(request, perform);
    // Nothing has been awaited since `get`, so no second request is in between.
    this.#underWay.set(name, { fingerprint: request.fingerprint, result });
    try {
      return await result;
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #performFirst(request: RequestIdentity, perform: () => Promise<Answer>): Promise<Result<Replayable>> {
    const earlier = await this.#reserve(request);
    if (earlier !== undefined) return replay(request, earlier, this.#deps.secrets);
    // When this throws, the record stays open: the outcome is unknown, so no repetition is carried out.
    const answer = await perform();
    await this.#settle(request, answer);
    return accepted({ answer, replayed: false });
  }

  /** Writes the open record, durable before anything is done; resolves with the earlier record of the key, if any. */
  async #reserve(request: RequestIdentity): Promise<IdempotencyRecord | undefined> {
    const { clock, database } = this.#deps;
    const now = clock.now();
    try {
      return await database.transact(async (write) => {
        const tables = write.withTables<IdempotencyTables>();
        if (now >= this.#nextPurge) {
          this.#nextPurge = now + purgeEveryMs;
          await purgeRecords(tables, now - keptMs);
        }
        const earlier = await findRecord(tables, request);
        if (earlier !== undefined && earlier.created_at > now - keptMs) return earlier;
        if (earlier !== undefined) await removeRecord(tables, request);
        await openRecord(tables, request, now);
        return undefined;
      });
    } catch (error) {
      if (!database.isUniqueViolation(error)) throw error;
      // Another node has just written it.
      const earlier = await findRecord(database.read.withTables<IdempotencyTables>(), request);
      if (earlier === undefined) throw error;
      return earlier;
    }
  }

  /** A refusal has changed nothing and frees the key; a success is kept for repetitions. */
  async #settle(request: RequestIdentity, answer: Answer): Promise<void> {
    const { database, secrets, log } = this.#deps;
    try {
      await database.transact(async (write) => {
        const tables = write.withTables<IdempotencyTables>();
        if (answer.status >= 400) return removeRecord(tables, request);
        const sealed_body = answer.body === undefined ? null : secrets.encrypt(answer.body);
        return settleRecord(tables, request, { status: answer.status, sealed_body });
      });
    } catch (error) {
      // The client still gets its success; a repetition gets `idempotency-outcome-unknown`.
      log.error({ err: error, account: request.account }, 'answer not kept for its Idempotency-Key');
    }
  }
}

function replay(request: RequestIdentity, earlier: IdempotencyRecord, secrets: Secrets): Result<Replayable> {
  if (earlier.fingerprint !== request.fingerprint) return refused(otherRequest(request.key));
  if (earlier.status === null) return refused(outcomeUnknown(request.key));
  const body = earlier.sealed_body === null ? undefined : secrets.decrypt(earlier.sealed_body);
  return accepted({ answer: { status: earlier.status, body }, replayed: true });
}
