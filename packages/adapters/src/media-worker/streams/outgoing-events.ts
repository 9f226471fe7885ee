/** The messages of one event. */
type Messages = readonly string[];

export interface OutgoingEventsDeps {
  readonly isResumable: boolean;
  readonly isConnected: () => boolean;
  /** Of the last frame of audio in the socket. */
  readonly position: () => number;
  readonly say: (messages: Messages) => void;
}

/** Events without a connection, and unconfirmed ones, that are kept for the next connection. */
const mostEvents = 1000;

/**
 * Event frames of one stream. Those of a resumable stream are kept until the other side has confirmed audio behind them, because a network
 * that is dead is noticed late. The next connection gets them again, with the numbers that they have.
 */
export class OutgoingEvents {
  readonly #deps: OutgoingEventsDeps;
  /** The oldest first. */
  #unconfirmed: { readonly position: number; readonly messages: Messages }[] = [];
  /** Written once a socket is open again. */
  #waiting: (() => Messages)[] = [];

  constructor(deps: OutgoingEventsDeps) {
    this.#deps = deps;
  }

  /** Sent now, or once the socket is open again. */
  emit(write: () => Messages): void {
    const { isResumable, isConnected, position, say } = this.#deps;
    if (!isConnected()) {
      if (isResumable && this.#waiting.length < mostEvents) this.#waiting.push(write);
      return;
    }
    const messages = write();
    if (isResumable) {
      if (this.#unconfirmed.length === mostEvents) this.#unconfirmed.shift();
      this.#unconfirmed.push({ position: position(), messages });
    }
    say(messages);
  }

  /** Behind `start` of a connection. */
  begin(): void {
    for (const { messages } of this.#unconfirmed) this.#deps.say(messages);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) this.emit(write);
  }

  /** The other side has all audio up to this position. An event at it may have followed the question. */
  arrived(position: number): void {
    while (this.#unconfirmed.length > 0 && this.#unconfirmed[0]!.position < position)
      this.#unconfirmed.shift();
  }

  clear(): void {
    this.#unconfirmed = [];
    this.#waiting = [];
  }
}
