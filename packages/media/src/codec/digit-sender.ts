import { eventOfDigit, type TelephoneEvent } from './telephone-event.ts';

/** Two of the longest requests to press keys, of 200 characters, so that one may follow while the other is sent. */
export const mostQueuedDigits = 400;

/** Options of a digit sender; all times in milliseconds. */
export interface DigitSenderOptions {
  readonly clockRate: number;
  /** Time between two calls of `next`; default 20. */
  readonly frameMs?: number;
  /** How long a key is held; default 100, above the 40–50 ms that receivers require (ITU-T Q.24). */
  readonly digitMs?: number;
  /** Silence after a key; default 60. */
  readonly gapMs?: number;
  /** Level below 0 dBm0 in dB; default 10. */
  readonly volume?: number;
  /** Maximum number of queued characters; default `mostQueuedDigits`. */
  readonly maxQueued?: number;
}

/** Sends queued keys as RFC 4733 events, one packet per frame. */
export interface DigitSender {
  /**
   * Queues keys: 0–9 * # A–D; `w` waits 0.5 s and `W` 1 s. Returns the number of characters queued: all, or none when
   * one is invalid or the queue would overflow.
   */
  queue(digits: string): number;
  /**
   * Advances by the frame that starts at RTP time `timestamp`. `event`: send `report` with `eventTimestamp` and
   * `marker` instead of audio. `wait`: between two keys, audio may be sent. `idle`: the queue is empty.
   */
  next(timestamp: number): 'event' | 'wait' | 'idle';
  /** The report to send after `event`; one object, overwritten by each `next`. */
  readonly report: TelephoneEvent;
  readonly eventTimestamp: number;
  /** True on the first packet of a key (RFC 4733 §2.2). */
  readonly marker: boolean;
  /** Clears the queue; a key that is being sent is still ended. */
  clear(): void;
  /** The state with which another sender continues, even within a key. */
  save(): SavedKeys;
  restore(saved: SavedKeys): void;
}

/** The state of a digit sender, as plain data. */
export interface SavedKeys {
  readonly queue: string;
  readonly state: 'idle' | 'held' | 'ending' | 'waiting';
  readonly endsLeft: number;
  readonly waitMs: number;
  readonly eventTimestamp: number;
  readonly report: TelephoneEvent;
}

/** RFC 4733 §2.5.1.4: the final packet is sent three times, at the usual spacing. */
const endPackets = 3;

/** Creates the digit sender of one outgoing stream. */
export function createDigitSender(options: DigitSenderOptions): DigitSender {
  return new Sender(options);
}

class Sender implements DigitSender {
  readonly report: TelephoneEvent;
  eventTimestamp = 0;
  marker = false;
  readonly #frameMs: number;
  readonly #frameUnits: number;
  readonly #holdUnits: number;
  readonly #gapMs: number;
  readonly #maxQueued: number;
  #queue = '';
  #state: SavedKeys['state'] = 'idle';
  #endsLeft = 0;
  #waitMs = 0;

  constructor(options: DigitSenderOptions) {
    this.#frameMs = options.frameMs ?? 20;
    this.#frameUnits = (options.clockRate * this.#frameMs) / 1000;
    this.#holdUnits = Math.min((options.clockRate * (options.digitMs ?? 100)) / 1000, 0xffff);
    this.#gapMs = options.gapMs ?? 60;
    this.#maxQueued = options.maxQueued ?? mostQueuedDigits;
    this.report = { event: 0, end: false, volume: options.volume ?? 10, duration: 0 };
  }

  queue(digits: string): number {
    if (this.#queue.length + digits.length > this.#maxQueued || !/^[0-9*#A-Da-dwW]*$/.test(digits)) return 0;
    this.#queue += digits;
    return digits.length;
  }

  next(timestamp: number): 'event' | 'wait' | 'idle' {
    if (this.#state === 'waiting') {
      this.#waitMs -= this.#frameMs;
      if (this.#waitMs > 0) return 'wait';
      this.#state = 'idle';
    }
    if (this.#state === 'idle') return this.#begin(timestamp);
    this.marker = false;
    if (this.#state === 'held') {
      this.report.duration = Math.min(this.report.duration + this.#frameUnits, this.#holdUnits);
      if (this.report.duration >= this.#holdUnits) {
        this.report.end = true;
        this.#state = 'ending';
        this.#endsLeft = endPackets;
      }
    }
    if (this.#state === 'ending' && --this.#endsLeft === 0) this.#wait(this.#gapMs);
    return 'event';
  }

  clear(): void {
    this.#queue = '';
  }

  save(): SavedKeys {
    return {
      queue: this.#queue,
      state: this.#state,
      endsLeft: this.#endsLeft,
      waitMs: this.#waitMs,
      eventTimestamp: this.eventTimestamp,
      report: { ...this.report },
    };
  }

  restore(saved: SavedKeys): void {
    this.#queue = saved.queue;
    this.#state = saved.state;
    this.#endsLeft = saved.endsLeft;
    this.#waitMs = saved.waitMs;
    this.eventTimestamp = saved.eventTimestamp;
    Object.assign(this.report, saved.report);
  }

  #begin(timestamp: number): 'event' | 'wait' | 'idle' {
    const key = this.#queue.charAt(0);
    if (key === '') return 'idle';
    this.#queue = this.#queue.slice(1);
    if (key === 'w' || key === 'W') {
      this.#wait(key === 'w' ? 500 : 1000);
      return 'wait';
    }
    this.#state = 'held';
    this.eventTimestamp = timestamp >>> 0;
    this.marker = true;
    this.report.event = eventOfDigit(key)!;
    this.report.end = false;
    this.report.duration = Math.min(this.#frameUnits, this.#holdUnits);
    return 'event';
  }

  #wait(ms: number): void {
    this.#state = 'waiting';
    this.#waitMs = ms;
  }
}
