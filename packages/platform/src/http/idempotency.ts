import {
  type Clock,
  type Database,
  type Instant,
  type Logger,
  quoted,
  type Secrets,
  saysNothingWritten,
} from '@jackfield/ports';
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
/** Bounds the transaction that opens a record. */
const removedAtOnce = 100;

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

/** A record without an answer; `at` distinguishes it from a later record of the same key. */
interface OpenedRecord {
  readonly request: RequestIdentity;
  readonly at: Instant;
}

interface UnderWay {
  readonly fingerprint: string;
  readonly result: Promise<Result<Replayable>>;
}

/** Answers that are kept for their Idempotency-Key. */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #underWay = new Map<string, UnderWay>();
  /** Records that could not be removed when their requests were refused; removed with the next record that is opened here. */
  readonly #toRemove = new Map<string, OpenedRecord>();
  #nextPurge: Instant = 0;

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /** Performs a request once in 24 hours, with the promises of README.md. Throws what `perform` throws. */
  async once(request: RequestIdentity, perform: () => Promise<Answer>): Promise<Result<Replayable>> {
    const name = nameOf(request);
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
    const opened = { request, at: this.#deps.clock.now() };
    const earlier = await this.#reserve(opened);
    if (earlier !== undefined) return replay(request, earlier, this.#deps.secrets);
    let answer: Answer;
    try {
      answer = await perform();
    } catch (error) {
      // After any other error the record stays open: the outcome is unknown, so no repetition is carried out.
      if (saysNothingWritten(error)) await this.#free(opened);
      throw error;
    }
    if (answer.status >= 400) await this.#free(opened);
    else await this.#keep(request, answer);
    return accepted({ answer, replayed: false });
  }

  /** Writes the open record, durable before anything is done; resolves with the earlier record of the key, if any. */
  async #reserve({ request, at: now }: OpenedRecord): Promise<IdempotencyRecord | undefined> {
    const { database } = this.#deps;
    const left = this.#removedWith(nameOf(request));
    try {
      const found = await database.transact(async (write) => {
        const tables = write.withTables<IdempotencyTables>();
        for (const each of left.values()) await removeRecord(tables, each.request, each.at);
        if (now >= this.#nextPurge) {
          this.#nextPurge = now + purgeEveryMs;
          await purgeRecords(tables, now - keptMs);
        }
        const earlier = await findRecord(tables, request);
        if (earlier !== undefined && earlier.created_at > now - keptMs) return earlier;
        if (earlier !== undefined) await removeRecord(tables, request, earlier.created_at);
        await openRecord(tables, request, now);
        return undefined;
      });
      for (const [name, each] of left) {
        if (this.#toRemove.get(name) === each) this.#toRemove.delete(name);
      }
      return found;
    } catch (error) {
      if (!database.isUniqueViolation(error)) throw error;
      // Another node has just written it.
      const earlier = await findRecord(database.read.withTables<IdempotencyTables>(), request);
      if (earlier === undefined) throw error;
      return earlier;
    }
  }

  /** Records that are removed when this key is used: its own, and some of the others. */
  #removedWith(name: string): ReadonlyMap<string, OpenedRecord> {
    const own = this.#toRemove.get(name);
    const some = [...this.#toRemove].slice(0, removedAtOnce);
    return new Map(own === undefined ? some : [[name, own], ...some]);
  }

  /** For a request that has changed nothing. */
  async #free(opened: OpenedRecord): Promise<void> {
    const { database, log } = this.#deps;
    const { request, at } = opened;
    try {
      await database.transact((write) => removeRecord(write.withTables<IdempotencyTables>(), request, at));
    } catch (error) {
      this.#toRemove.set(nameOf(request), opened);
      log.warn(
        { err: error, account: request.account },
        'Idempotency-Key of a refused request not freed yet',
      );
    }
  }

  /** Keeps a success for repetitions. */
  async #keep(request: RequestIdentity, answer: Answer): Promise<void> {
    const { database, secrets, log } = this.#deps;
    try {
      await database.transact(async (write) => {
        const sealed_body = answer.body === undefined ? null : secrets.encrypt(answer.body);
        const settled = { status: answer.status, sealed_body };
        return settleRecord(write.withTables<IdempotencyTables>(), request, settled);
      });
    } catch (error) {
      // The client still gets its success; a repetition gets `idempotency-outcome-unknown`.
      log.error({ err: error, account: request.account }, 'answer not kept for its Idempotency-Key');
    }
  }
}

function nameOf({ account, key }: RequestIdentity): string {
  return JSON.stringify([account, key]);
}

function replay(request: RequestIdentity, earlier: IdempotencyRecord, secrets: Secrets): Result<Replayable> {
  if (earlier.fingerprint !== request.fingerprint) return refused(otherRequest(request.key));
  if (earlier.status === null) return refused(outcomeUnknown(request.key));
  const body = earlier.sealed_body === null ? undefined : secrets.decrypt(earlier.sealed_body);
  return accepted({ answer: { status: earlier.status, body }, replayed: true });
}
