import type { Clock, SmsOrder, SmsOutcome } from '@jackfield/ports';
import { OutgoingMessage } from './outgoing-message.ts';
import type { SmppLink } from './smpp-link.ts';
import { Throttle } from './throttle.ts';

export interface SubmitLimits {
  /** Parts that may be sent without a response. */
  readonly window: number;
  /** An order that could not be submitted within this time is refused. */
  readonly sendMs: number;
  /** Orders that may wait; a further one is refused at once. */
  readonly maxWaiting: number;
  /** The pause after a "too fast" response doubles from the first value to the second. */
  readonly throttleMs: readonly [number, number];
}

/** Orders on their way to an SMSC: submitted in order within the window, and refused at their time limit. */
export class SubmitQueue {
  readonly #clock: Clock;
  readonly #smsc: string;
  readonly #limits: SubmitLimits;
  readonly #link: () => SmppLink | undefined;
  readonly #throttle: Throttle;
  readonly #all = new Set<OutgoingMessage>();
  /** Messages of which nothing was submitted, in the order of their arrival. */
  readonly #waiting = new Set<OutgoingMessage>();
  /** Messages that have a part to submit again, or a further one; at most as many as the window. */
  readonly #begun = new Set<OutgoingMessage>();
  #inFlight = 0;
  #reference = 0;
  /** Called when no order is left, while the link is unbound. */
  #emptied: (() => void) | undefined;

  /** `smsc` marks the names of messages; `link` is the current connection. */
  constructor(clock: Clock, smsc: string, limits: SubmitLimits, link: () => SmppLink | undefined) {
    this.#clock = clock;
    this.#smsc = smsc;
    this.#limits = limits;
    this.#link = link;
    this.#throttle = new Throttle(clock, limits.throttleMs);
  }

  send(order: SmsOrder): Promise<SmsOutcome> {
    if (this.#all.size >= this.#limits.maxWaiting) return Promise.resolve(failed('queue-full'));
    this.#reference = (this.#reference + 1) & 0xff;
    return new Promise((resolve) => {
      const message = new OutgoingMessage(order, this.#reference, (outcome) => {
        for (const set of [this.#all, this.#waiting, this.#begun]) set.delete(message);
        cancel();
        resolve(outcome);
        if (this.#all.size === 0) this.#emptied?.();
      });
      const limit = this.#clock.now() + this.#limits.sendMs;
      const at = Math.min(limit, order.validUntil, order.settleBy ?? order.validUntil);
      const cancel = this.#clock.startTimer(at, () =>
        message.settle(failed(this.#link()?.isBound === true ? 'timeout' : 'unreachable')),
      );
      this.#all.add(message);
      this.#waiting.add(message);
      this.pump();
    });
  }

  /** Submits as much as the window and the SMSC allow. */
  pump(): void {
    const link = this.#link();
    while (link?.isBound === true && !this.#throttle.isPaused && this.#inFlight < this.#limits.window) {
      const message = takeFirst(this.#begun) ?? takeFirst(this.#waiting);
      if (message === undefined) return;
      this.#submit(link, message);
    }
  }

  /** Refuses the orders of which nothing was submitted, and waits for the others until the time limit. */
  async drain(limitMs: number): Promise<void> {
    for (const message of [...this.#all]) if (!message.hasBegun) message.settle(failed('unbound'));
    if (this.#all.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.startTimer(this.#clock.now() + limitMs, resolve);
      this.#emptied = () => {
        cancel();
        resolve();
      };
    });
    this.#emptied = undefined;
  }

  /** Refuses what is left. */
  close(): void {
    this.#throttle.close();
    for (const message of [...this.#all]) message.settle(failed('unreachable'));
  }

  #submit(link: SmppLink, message: OutgoingMessage): void {
    this.#inFlight++;
    link.submit(message.nextPart(this.#clock.wallNow() - this.#clock.now()), (pdu) => {
      this.#inFlight--;
      const wasOver = message.isOver;
      const after = message.answered(pdu, this.#smsc);
      if (!wasOver && pdu?.command_status === 0) this.#throttle.reset();
      if (after !== 'over') this.#begun.add(message);
      if (after === 'submit-slower') this.#throttle.pause(() => this.pump());
      this.pump();
    });
  }
}

function takeFirst(messages: Set<OutgoingMessage>): OutgoingMessage | undefined {
  for (const message of messages) {
    messages.delete(message);
    return message;
  }
  return undefined;
}

function failed(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
}
