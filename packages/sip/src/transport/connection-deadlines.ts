/** Times of a connection in milliseconds; see `ConnectionLimits`. */
interface DeadlineLimits {
  readonly halfMessageMs: number;
  readonly connectMs: number;
  readonly strangerMs?: number;
}

/**
 * The deadlines of one connection. One of three runs at a time: for its establishment, for its first message, or for the rest of a message
 * that has begun. In addition, an accepted peer has a deadline for its authentication.
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

  /** A peer opened the connection: the deadlines for its first message and its authentication begin. */
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
