import type { Clock, Logger } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import { type EventCursor, type EventLog, firstCursor } from '../../../kernel/event-log.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import { draining, tooManyRequests } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { EventFilter } from '../views.ts';
import {
  type EventStream,
  openEventStream,
  type StreamLimits,
  type StreamTarget,
  streamLimits,
} from './event-stream.ts';

export interface LiveEventsLimits extends StreamLimits {
  /** Streams of an account at the same time; a subaccount has its own count. */
  readonly streamsPerAccount: number;
}

const defaultLimits: LiveEventsLimits = { ...streamLimits, streamsPerAccount: 10 };

export interface OpenStreamsDeps {
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'subscribe'>;
  readonly liveEventsLimits?: Partial<LiveEventsLimits>;
}

const shutDown = 'the server is shutting down';

/** The streams of all accounts, which one subscription wakes. */
export class OpenStreams {
  readonly #deps: OpenStreamsDeps;
  readonly #limits: LiveEventsLimits;
  readonly #streams = new Set<EventStream>();
  readonly #perAccount = new Map<string, number>();
  #unsubscribe: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: OpenStreamsDeps) {
    this.#deps = deps;
    this.#limits = { ...defaultLimits, ...deps.liveEventsLimits };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Resolves with the function that begins the stream, once its head is sent. */
  async open(
    account: RequestAccount,
    after: EventCursor | undefined,
    filter: EventFilter,
  ): Promise<Result<(target: StreamTarget) => void>> {
    if (this.#isClosed) return refused(draining(5));
    const { authId } = account;
    const { streamsPerAccount } = this.#limits;
    if ((this.#perAccount.get(authId) ?? 0) >= streamsPerAccount) {
      const sentence = `an account may have ${streamsPerAccount} streams of events open at the same time`;
      return refused(tooManyRequests(sentence, 5));
    }
    // Counted before the first await, or many requests at once would all stay within the limit.
    this.#count(authId, 1);
    let from: EventCursor;
    try {
      from = after ?? (await this.#deps.events.newest(account, 1))[0]?.cursor ?? firstCursor;
    } catch (error) {
      this.#count(authId, -1);
      throw error;
    }
    return accepted((target) => this.#begin(account, from, filter, target));
  }

  /** Ends all streams and opens no more. */
  drain(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end(shutDown);
  }

  #begin(account: RequestAccount, from: EventCursor, filter: EventFilter, target: StreamTarget): void {
    target.onClose(() => {
      this.#count(account.authId, -1);
      this.#streams.delete(stream);
      if (this.#streams.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    });
    const stream = openEventStream({ ...this.#deps, limits: this.#limits }, account, from, filter, target);
    this.#streams.add(stream);
    this.#unsubscribe ??= this.#deps.outbox.subscribe(() => {
      for (const each of this.#streams) each.wake();
    });
    if (this.#isClosed) stream.end(shutDown);
  }

  #count(account: string, change: number): void {
    const now = (this.#perAccount.get(account) ?? 0) + change;
    if (now === 0) this.#perAccount.delete(account);
    else this.#perAccount.set(account, now);
  }
}
