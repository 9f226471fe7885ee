/** Times of a connection in milliseconds; see `ConnectionLimits`. */
interface DeadlineLimits {
  readonly halfMessageMs: number;
  readonly connectMs: number;
  readonly strangerMs?: number;
}

/**
 * The deadlines of one connection. One runs at a time: to its establishment, to its first message, or from the begin of a message to
 * its end. Beside it runs the one to the authentication of an accepted peer.
 */
export class ConnectionDeadlines {
  readonly #limits: DeadlineLimits;
  readonly #timeOut: () => void;
  #deadline: NodeJS.Timeout | undefined;
  #probation: NodeJS.Timeout | undefined;

  constructor(limits: DeadlineLimits, timeOut: () => void) {
    this.#limits = limits;
    this.#timeOut = timeOut;
  }

  /** We opened the connection. */
  connecting(): void {
    this.#watch(this.#limits.connectMs);
  }

  /** The connection that we opened is established; its peer need not send anything. */
  connected(): void {
    this.#unwatch();
  }

  /** A peer opened the connection: its first message is due, and its authentication. */
  accepted(): void {
    const { strangerMs, halfMessageMs } = this.#limits;
    if (strangerMs !== undefined) this.#probation = setTimeout(this.#timeOut, strangerMs);
    this.#watch(halfMessageMs);
  }

  /** Bytes arrived: slow senders time out, because no byte after the first of a message extends its deadline. */
  received(endsMessage: boolean, beginsMessage: boolean): void {
    if (endsMessage) this.#unwatch();
    if (beginsMessage && this.#deadline === undefined) this.#watch(this.#limits.halfMessageMs);
  }

  /** Our last bytes are being sent; nothing more is read. */
  ending(): void {
    this.#watch(this.#limits.halfMessageMs);
  }

  /** The peer is authenticated. */
  keep(): void {
    clearTimeout(this.#probation);
  }

  /** The connection is closed. */
  stop(): void {
    this.#unwatch();
    clearTimeout(this.#probation);
  }

  #watch(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(this.#timeOut, ms);
  }

  #unwatch(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }
}
