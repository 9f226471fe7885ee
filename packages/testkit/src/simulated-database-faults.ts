import type { Database } from '@jackfield/ports';
import type { Settling } from './settling.ts';

const never = (): boolean => false;

class NoDatabaseError extends Error {
  readonly code = 'database-unavailable';

  constructor() {
    super('the database cannot be reached from this node');
    this.name = 'NoDatabaseError';
  }
}

/** Between a simulated node and the database that it shares. */
export class DatabaseFaults {
  readonly #whileTimePasses: Settling['whileTimePasses'];
  #isCut = false;
  #losesAnswer = never;
  #isCutBehindCommit = false;
  #mended: PromiseWithResolvers<void> | undefined;

  constructor(whileTimePasses: Settling['whileTimePasses']) {
    this.#whileTimePasses = whileTimePasses;
  }

  /** Whether a commit waits for its answer, or the next one will. */
  get isCommitLost(): boolean {
    return this.#isCutBehindCommit || this.#mended !== undefined;
  }

  /** Units and reads fail. */
  cut(): void {
    this.#isCut = true;
  }

  /** As `cut`, from behind the next commit on: it is made, and its unit learns so at `mend`. */
  cutBehindCommit(): void {
    this.#isCutBehindCommit = true;
  }

  /** Units for which `loses` is true are committed and fail; heartbeats have a connection of their own. */
  loseAnswers(loses: () => boolean): void {
    this.#losesAnswer = loses;
  }

  mend(): void {
    this.#isCut = false;
    this.#losesAnswer = never;
    this.#isCutBehindCommit = false;
    this.#mended?.resolve();
    this.#mended = undefined;
  }

  before(database: Database): Database {
    let read: Database['read'] | undefined;
    const transact: Database['transact'] = async (work, unit) => {
      this.#assertReached();
      const result = await database.transact(work, unit);
      if (unit?.isHeartbeat !== true && this.#losesAnswer()) throw new NoDatabaseError();
      await this.#answered();
      return result;
    };
    const refuseWhenCut = () => this.#assertReached();
    return Object.create(database, {
      transact: { value: transact },
      read: {
        // The first read opens a file that `migrate` may have to write before.
        get() {
          read ??= database.read.withPlugin({
            transformQuery: ({ node }) => node,
            async transformResult({ result }) {
              refuseWhenCut();
              return result;
            },
          });
          return read;
        },
      },
    });
  }

  #assertReached(): void {
    if (this.#isCut) throw new NoDatabaseError();
  }

  async #answered(): Promise<void> {
    if (!this.#isCutBehindCommit) return;
    this.#isCutBehindCommit = false;
    this.#isCut = true;
    this.#mended = Promise.withResolvers();
    await this.#whileTimePasses(this.#mended.promise);
  }
}
