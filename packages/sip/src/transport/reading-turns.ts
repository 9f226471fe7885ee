import type { Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bounds of what is read from connections in one turn of the event loop, in bytes. */
export interface ReadingLimits {
  /** Of one connection, 4,096: some messages, or 700 empty WebSocket frames. */
  readonly ofConnection: number;
  /** Of all that waited for their turn, 24,576: about 100 requests, so a flood keeps others waiting for some 5 ms. */
  readonly ofWaiting: number;
  /** Of all connections, 32,768: the rest is for those that did not wait. */
  readonly inTurn: number;
}

/** Default limits. */
const DEFAULT_READING_LIMITS: ReadingLimits = { ofConnection: 4_096, ofWaiting: 24_576, inTurn: 32_768 };

/**
 * Shares the reading of connections between the turns of the event loop. Node.js reads up to 2 MiB of one connection in a turn, and until
 * thousands of messages in it are handled, no timer and no other connection gets its turn. What exceeds the limits waits, in order of
 * arrival, first in the connection and then in the network.
 */
export class ReadingTurns {
  readonly #limits: ReadingLimits;
  /** What each waiting connection does when its turn has come. */
  readonly #waiting = new Set<() => void>();
  #turn = 0;
  #left: number;
  #isUnderWay = false;

  constructor(limits: Partial<ReadingLimits> = {}) {
    this.#limits = { ...DEFAULT_READING_LIMITS, ...limits };
    this.#left = this.#limits.inTurn;
  }

  /** From now on the listeners of `data` get what each turn lets pass. They may pause and resume the connection as before. */
  limit(connection: Duplex): void {
    const emit: (event: string | symbol, ...values: unknown[]) => boolean = connection.emit.bind(connection);
    const [pause, resume] = [connection.pause.bind(connection), connection.resume.bind(connection)];
    let turn = -1;
    let left = 0;
    let isWaiting = false;
    /** By a listener, such as one whose peer does not read the answers. */
    let isPaused = false;
    const goOn = (): void => {
      isWaiting = false;
      if (!isPaused) resume();
    };
    const read = (bytes: Buffer): boolean => {
      if (turn !== this.#turn) {
        turn = this.#turn;
        left = this.#limits.ofConnection;
      }
      const passed = this.#take(Math.min(bytes.length, left));
      left -= passed;
      if (passed === bytes.length) return emit('data', bytes);
      // Before the listeners: one of them may end the connection.
      isWaiting = true;
      this.#waiting.add(goOn);
      pause();
      connection.unshift(bytes.subarray(passed));
      return passed === 0 || emit('data', bytes.subarray(0, passed));
    };
    connection.emit = (event: string | symbol, ...values: unknown[]): boolean =>
      event === 'data' && connection.listenerCount('data') > 0
        ? read(values[0] as Buffer)
        : emit(event, ...values);
    connection.pause = () => {
      isPaused = true;
      return pause();
    };
    connection.resume = () => {
      isPaused = false;
      return isWaiting ? connection : resume();
    };
  }

  /** Limits each connection of an HTTP server, for requests and after an upgrade; returns the function that ends this for later ones. */
  limitServer(server: HttpServer): () => void {
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    const onConnection = (connection: Duplex): void => {
      this.limit(connection);
      readByEvents(connection);
    };
    server.on(event, onConnection);
    return () => server.off(event, onConnection);
  }

  #take(bytes: number): number {
    this.#awaitNext();
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    return taken;
  }

  #awaitNext(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const { ofConnection, ofWaiting, inTurn } = this.#limits;
    this.#isUnderWay = false;
    this.#turn++;
    this.#left = inTurn;
    let bytes = 0;
    for (const goOn of this.#waiting) {
      if (bytes >= ofWaiting) break;
      bytes += ofConnection;
      this.#waiting.delete(goOn);
      goOn();
    }
    // A connection that goes on may have ended, and then reads nothing.
    if (this.#waiting.size > 0) this.#awaitNext();
  }
}

/** The HTTP parser of Node.js reads from the handle of a connection, past its events, until another listener takes its data. */
function readByEvents(connection: Duplex): void {
  const ignore = (): void => {};
  connection.on('data', ignore);
  connection.off('data', ignore);
}
