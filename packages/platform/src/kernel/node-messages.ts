import { type Bus, BusError, type Clock, everyone, type Logger } from '@jackfield/ports';
import { createGenerations } from './generations.ts';
import { createMessageDelays } from './message-delays.ts';
import {
  answerBytes,
  noticeBytes,
  type Outcome,
  readAnswer,
  readNotice,
  readRequest,
  requestBytes,
} from './node-envelopes.ts';

/** Requests and notices between the nodes of a cluster, over the bus. A node is named by the token of its incarnation. */
export interface NodeMessages {
  /**
   * Resolves with the answer of one node. A request without an answer is repeated once, half-way to the deadline; the receiver carries
   * it out once. Rejects with a `BusError`: `bus-no-answer` when it may have been carried out, any other code when it has not.
   */
  request(to: string, subject: string, body: Uint8Array, deadlineMs: number): Promise<Uint8Array>;
  /** Carries out the requests of a subject, once per subject. */
  serve(subject: string, handle: (body: Uint8Array, from: string) => Promise<Uint8Array>): void;
  /** To one node, or to all others when left out; at most once. */
  notify(subject: string, body: Uint8Array, to?: string): void;
  /** Receives the notices of a subject, once per subject. */
  listen(subject: string, receive: (body: Uint8Array, from: string) => void): void;
  close(): Promise<void>;
}

export interface NodeMessagesDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The latest deadline of a request. */
const longestDeadlineMs = 10_000;

export function createNodeMessages({ bus, clock, log }: NodeMessagesDeps): NodeMessages {
  const request = createRequester(bus, clock);
  const delayOf = createMessageDelays(clock);
  // A repetition arrives within the deadline of its request; the other half is for time on the way.
  const answers = createGenerations<Promise<Uint8Array>>(clock, 2 * longestDeadlineMs);

  return {
    request,
    serve(subject, handle) {
      async function carryOut(body: Uint8Array, from: string): Promise<Uint8Array> {
        try {
          return answerBytes('answered', await handle(body, from));
        } catch (err) {
          log.error({ err, from, subject }, 'request of another node failed');
          return answerBytes('failed');
        }
      }

      bus.serve(subject, async (bytes, from) => {
        const envelope = readRequest(bytes);
        if (envelope === undefined) return answerBytes('other-protocol');
        const { sentAt, id, leftMs, body } = envelope;
        const delay = delayOf(from, sentAt);
        const name = `${from} ${id}`;
        const { recent, older } = answers();
        const earlier = recent.get(name) ?? older.get(name);
        if (earlier !== undefined) return earlier;
        // Its sender has given up: no node waits for the work.
        const answer = delay > leftMs ? Promise.resolve(answerBytes('expired')) : carryOut(body, from);
        recent.set(name, answer);
        return answer;
      });
    },
    notify: (subject, body, to = everyone) => bus.notify(to, subject, noticeBytes(body)),
    listen(subject, receive) {
      bus.serve(subject, (bytes, from) => {
        const body = readNotice(bytes);
        if (body !== undefined) receive(body, from);
        return undefined;
      });
    },
    close: () => bus.close(),
  };
}

function createRequester(bus: Bus, clock: Clock): NodeMessages['request'] {
  let requests = 0;

  return async (to, subject, body, deadlineMs) => {
    if (!(deadlineMs > 0 && deadlineMs <= longestDeadlineMs))
      throw new RangeError(`a deadline of ${deadlineMs} ms: at most ${longestDeadlineMs} ms are allowed`);
    const id = ++requests;
    const endAt = clock.now() + deadlineMs;
    const repeatAt = clock.now() + deadlineMs / 2;

    async function attempt(until: number): Promise<Uint8Array> {
      const sentAt = clock.now();
      const leftMs = Math.max(0, endAt - sentAt);
      const bytes = requestBytes({ sentAt, id, leftMs, body });
      const answer = readAnswer(await bus.ask(to, subject, bytes, Math.max(1, until - sentAt)));
      if (answer.outcome !== 'answered') throw new RefusedByReceiver(answer.outcome);
      return answer.body;
    }

    try {
      return await attempt(repeatAt);
    } catch (error) {
      if (error instanceof RefusedByReceiver) throw error.explained();
      if (!(error instanceof BusError) || error.code !== 'bus-no-answer') throw error;
    }
    // A lost connection is refused at once; it may be back then.
    await new Promise<void>((resume) => clock.startTimer(repeatAt, resume));
    try {
      return await attempt(endAt);
    } catch (error) {
      // Whatever the repetition met, the first one may have been carried out.
      throw new BusError(
        'bus-no-answer',
        `no answer, the request may have been carried out: ${error}`,
        error,
      );
    }
  };
}

/** The receiver has answered that it gives no answer. */
class RefusedByReceiver extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(`the other node answered '${outcome}'`);
    this.outcome = outcome;
  }

  explained(): BusError {
    return this.outcome === 'failed'
      ? new BusError(
          'bus-no-answer',
          `no answer, the request may have been carried out: ${this.message}`,
          this,
        )
      : new BusError('bus-no-receiver', `the request was not carried out: ${this.message}`, this);
  }
}
