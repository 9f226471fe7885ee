import type { Clock } from '@jackfield/ports';
import type { Pdu } from 'smpp';

/** Called with the response, or with undefined when there will be none. */
export type Answered = (pdu: Pdu | undefined) => void;

/** The requests of a link that wait for a response, each for a limited time. */
export class SmppRequests {
  readonly #clock: Clock;
  readonly #responseMs: number;
  readonly #waiting = new Set<Answered>();

  constructor(clock: Clock, responseMs: number) {
    this.#clock = clock;
    this.#responseMs = responseMs;
  }

  /** Sends a request; `late` is called when its response is overdue. False when the connection accepts no more data. */
  ask(send: (answered: (pdu: Pdu) => void) => boolean, answered: Answered, late: () => void): boolean {
    const settle: Answered = (pdu) => {
      if (!this.#waiting.delete(settle)) return;
      cancel();
      answered(pdu);
    };
    const cancel = this.#clock.startTimer(this.#clock.now() + this.#responseMs, late);
    this.#waiting.add(settle);
    return send(settle);
  }

  /** The connection is lost: no request gets a response. */
  fail(): void {
    for (const settle of [...this.#waiting]) settle(undefined);
  }
}
