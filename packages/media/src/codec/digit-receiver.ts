import { timestampDistance } from '../rtp/serial-number.ts';
import { digitOfEvent, type TelephoneEvent } from './telephone-event.ts';

/** A key that was pressed and released. */
export interface ReceivedDigit {
  /** 0–9, *, #, A–D. */
  readonly digit: string;
  readonly durationMs: number;
}

/** Options of a digit receiver. */
export interface DigitReceiverOptions {
  readonly clockRate: number;
  /**
   * Time without reports after which the key counts as released, because all three end packets are lost; default 120
   * ms.
   */
  readonly lostEndMs?: number;
}

/** Converts event reports of one stream to digits, each exactly once. */
export interface DigitReceiver {
  /**
   * Handles the report of one packet. Returns the digits that it completes: none, one, or two where an end was lost.
   */
  receive(timestamp: number, report: TelephoneEvent, nowMs: number): readonly ReceivedDigit[];
  /** Completes a pressed key whose end was lost; to be called once per frame. */
  expire(nowMs: number): readonly ReceivedDigit[];
  /** Resets the state for a new stream. */
  reset(): void;
  /** The state with which another receiver continues, so that no key is reported twice. */
  save(): SavedDigits;
  restore(saved: SavedDigits): void;
}

/** The state of a digit receiver, as plain data. */
export interface SavedDigits {
  readonly pressed: PressedDigit | undefined;
  readonly finishedStart: number | undefined;
}

interface PressedDigit {
  event: number;
  start: number;
  segment: number;
  units: number;
  heardMs: number;
}

const none: readonly ReceivedDigit[] = [];

/**
 * Creates the receiver of one stream. The RTP timestamp of its start identifies an event, because all its packets share
 * it (RFC 4733 §2.2.1). So the marker bit is not needed, and the three end packets count once.
 */
export function createDigitReceiver(options: DigitReceiverOptions): DigitReceiver {
  const lostEndMs = options.lostEndMs ?? 120;
  let pressed: PressedDigit | undefined;
  let finishedStart: number | undefined;

  const release = (): readonly ReceivedDigit[] => {
    const ended = pressed!;
    pressed = undefined;
    finishedStart = ended.segment;
    const digit = digitOfEvent(ended.event);
    if (digit === undefined) return none;
    return [{ digit, durationMs: Math.round((ended.units * 1000) / options.clockRate) }];
  };

  return {
    receive(timestamp, report, nowMs) {
      // A repeated end, or a report that the end of its event or a later one has overtaken.
      if (finishedStart !== undefined && timestampDistance(finishedStart, timestamp) <= 0) {
        // A step back of more than 10 s is a restart of the stream, not a reordering.
        if (timestampDistance(finishedStart, timestamp) > -10 * options.clockRate) return none;
        finishedStart = undefined;
      }
      let completed = none;
      if (pressed !== undefined && timestamp !== pressed.segment) {
        const step = timestampDistance(pressed.segment, timestamp);
        // RFC 4733 §2.5.1.3: an event longer than 65,535 units continues in a segment that starts at the end of the
        // last.
        if (step === 0xffff && report.event === pressed.event) pressed.segment = timestamp;
        else if (step < 0 && step > -10 * options.clockRate) return none;
        else completed = release();
      }
      pressed ??= { event: report.event, start: timestamp, segment: timestamp, units: 0, heardMs: nowMs };
      const units = timestampDistance(pressed.start, timestamp) + report.duration;
      // RFC 4733 §2.5.2.2: durations only grow; a smaller one is in a packet out of order.
      if (units > pressed.units) pressed.units = units;
      pressed.heardMs = nowMs;
      if (!report.end) return completed;
      const ended = release();
      return completed === none ? ended : [...completed, ...ended];
    },
    expire(nowMs) {
      return pressed !== undefined && nowMs - pressed.heardMs >= lostEndMs ? release() : none;
    },
    reset() {
      pressed = undefined;
      finishedStart = undefined;
    },
    save: () => ({ pressed, finishedStart }),
    restore(saved) {
      pressed = saved.pressed && { ...saved.pressed };
      finishedStart = saved.finishedStart;
    },
  };
}
