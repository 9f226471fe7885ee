import type { WheelClock } from '@jackfield/sip/phone';
import type { AudioCounters } from './quality/quality-sample.ts';

/** Time and timers, as the SIP stack needs them. */
export type Clock = WheelClock;

/** A WebSocket with the subprotocol `sip`. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

/** What a socket reports; after `closed`, or a close by the phone, it reports nothing. */
export interface SocketListener {
  opened(): void;
  received(text: string): void;
  closed(): void;
}

/** The audio of one call: a peer connection with a microphone and a speaker. */
export interface CallMedia {
  /** Our offer, or our answer to `offer`; asks for the microphone at the first time. */
  describe(order: {
    readonly offer?: string;
    readonly isHeld: boolean;
    readonly restartsIce: boolean;
  }): Promise<string>;
  applyAnswer(answer: string, isEarly: boolean): Promise<void>;
  rollBack(): Promise<void>;
  silence(isSilent: boolean): void;
  /** Whether digits can go as RFC 4733 events. */
  canSendDigits(): boolean;
  insertDigits(digits: string): void;
  counters(): Promise<AudioCounters>;
  close(): void;
}

/** What the audio of a call reports. */
export interface MediaListener {
  connection(state: 'connected' | 'disconnected' | 'failed'): void;
  /** An RFC 4733 event is being sent. */
  digit(digit: string): void;
  /** The browser plays no sound before the user has touched the page. */
  blocked(): void;
}

/** All that a phone needs of its browser; tests give it a simulated one. */
export interface Environment {
  readonly clock: Clock;
  openSocket(url: string, listener: SocketListener): Socket;
  openMedia(listener: MediaListener): CallMedia;
  /** Rings until the returned function is called. */
  ring(): () => void;
  /** An unpredictable token of letters and digits. */
  token(): string;
  /** A random number in [0, 1). */
  chance(): number;
  /** Calls `changed` when the machine has another network, or one again; the returned function ends that. */
  watchNetwork(changed: () => void): () => void;
  /** Calls `left` when the page ends: it is reloaded, closed or left for another one. The returned function ends that. */
  watchPage(left: () => void): () => void;
}
