import type { ByteString } from '../message/message.ts';
import type { SendTarget } from './transport-listener.ts';

/** A bound UDP socket that reads and sends many datagrams with one system call. */
export interface DatagramBatches {
  /** node:dgram adopts it, reports when a datagram waits, and closes it. */
  readonly descriptor: number;
  /** Passes on the waiting datagrams, one batch at most, and returns their number. */
  receive(accept: AcceptDatagram): number;
  /** Adds a datagram to the next batch, which must not be full; false when it cannot carry this one. */
  add(text: ByteString, address: string, port: number): boolean;
  readonly isFull: boolean;
  /** Sends the batch. `refuse` gets the index of each datagram that the system did not accept. */
  flush(refuse: (index: number) => void): void;
}

/** Gets a received datagram and its source. */
export type AcceptDatagram = (text: ByteString, address: string, port: number) => void;

/** Undefined where node:dgram has to bind the socket, which also reports why it cannot be bound. */
export type BindDatagramBatches = (host: string, port: number) => DatagramBatches | undefined;

/** A message on its way out. */
export interface Datagram {
  readonly target: SendTarget;
  readonly host: string;
  readonly port: number;
  readonly text: ByteString;
}

/** After a read that found nothing, so many datagrams are not followed by one: the socket of a quiet server has one datagram at a time. */
const readsSkipped = 3;
/** Of one turn of the event loop: a flood must not keep timers and HTTP waiting for more than about 20 ms. */
const mostInTurn = 256;

/**
 * The returned function reads what waits behind a datagram that node:dgram has read. Each datagram is accepted when the microtasks of the
 * one before it have run, as node:dgram does it: what has been decided about a request does not wait for the rest of its batch.
 */
export function createBatchReader(batches: DatagramBatches, accept: AcceptDatagram): () => void {
  const waiting: Parameters<AcceptDatagram>[] = [];
  let skipped = 0;
  let inTurn = 0;
  const turnOver = (): void => {
    inTurn = 0;
  };
  const acceptNext = (): void => {
    const datagram = waiting.shift();
    if (datagram === undefined) return;
    queueMicrotask(afterMicrotasks);
    accept(...datagram);
  };
  // A tick that a microtask queues begins when all microtasks have run.
  const afterMicrotasks = (): void => process.nextTick(acceptNext);
  return () => {
    if (inTurn >= mostInTurn) return;
    if (skipped > 0) {
      skipped -= 1;
      return;
    }
    const count = batches.receive((...datagram) => waiting.push(datagram));
    if (count === 0) {
      skipped = readsSkipped;
      return;
    }
    if (inTurn === 0) setImmediate(turnOver);
    inTurn += count;
    queueMicrotask(afterMicrotasks);
  };
}

/**
 * Sends the datagrams of one turn of the microtasks together, for example the answers of one commit. What a batch does not carry goes
 * through `sendAlone`, which also waits for a full buffer of the kernel and reports failures.
 */
export function createBatchSender(batches: DatagramBatches, sendAlone: (datagram: Datagram) => void) {
  let waiting: Datagram[] = [];

  function flush(): void {
    const sent = waiting;
    waiting = [];
    if (sent.length > 0) batches.flush((index) => sendAlone(sent[index]!));
  }

  return {
    flush,
    send(datagram: Datagram): void {
      if (!batches.add(datagram.text, datagram.host, datagram.port)) {
        // Datagrams leave in the order in which they were sent.
        flush();
        sendAlone(datagram);
        return;
      }
      waiting.push(datagram);
      if (batches.isFull) flush();
      else if (waiting.length === 1) process.nextTick(flush);
    },
  };
}
