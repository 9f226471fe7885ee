import { timestampDistance } from '../rtp/serial-number.ts';
import { digitOfEvent, type TelephoneEvent } from './telephone-event.ts';

/** A key that was pressed and let go. */
export interface ReceivedDigit {
  /** 0–9, *, #, A–D. */
  readonly digit: string;
  readonly durationMs: number;
}

/** Tunes a digit receiver. */
export interface DigitReceiverOptions {
  readonly clockRate: number;
  /** Reports stop for this long and the key counts as let go, all three end packets being lost; default 120 ms. */
  readonly lostEndMs?: number;
}

/** Turns event reports of one stream into digits, each exactly once. */
export interface DigitReceiver {
  /** Takes the report of one packet; returns the digits that it completes: none, one, or two where an end was lost. */
  receive(timestamp: number, report: TelephoneEvent, nowMs: number): readonly ReceivedDigit[];
  /** Completes the pressed key whose end was lost; to be asked once a frame. */
  expire(nowMs: number): readonly ReceivedDigit[];
  /** Forgets everything, for a new stream. */
  reset(): void;
}

const none: readonly ReceivedDigit[] = [];

/**
 * Creates the receiver of one stream. An event is known by the RTP timestamp of its start, which all its packets share
 * (RFC 4733 §2.2.1), so the marker bit may be lost or never set, and the three end packets count once.
 */
export function createDigitReceiver(options: DigitReceiverOptions): DigitReceiver {
  const lostEndMs = options.lostEndMs ?? 120;
  let pressed: { event: number; start: number; segment: number; units: number; heardMs: number } | undefined;
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
      // A repeated end, or a report overtaken by the end of its own event or by a later one.
      if (finishedStart !== undefined && timestampDistance(finishedStart, timestamp) <= 0) {
        // Unless the stream began again elsewhere: a step back of more than 10 s is no reordering.
        if (timestampDistance(finishedStart, timestamp) > -10 * options.clockRate) return none;
        finishedStart = undefined;
      }
      let completed = none;
      if (pressed !== undefined && timestamp !== pressed.segment) {
        const step = timestampDistance(pressed.segment, timestamp);
        // RFC 4733 §2.5.1.3: an event longer than 65,535 units goes on in a segment that starts where the last one ended.
        if (step === 0xffff && report.event === pressed.event) pressed.segment = timestamp;
        else if (step < 0 && step > -10 * options.clockRate) return none;
        else completed = release();
      }
      pressed ??= { event: report.event, start: timestamp, segment: timestamp, units: 0, heardMs: nowMs };
      const units = timestampDistance(pressed.start, timestamp) + report.duration;
      // RFC 4733 §2.5.2.2: durations only grow; a smaller one comes from a packet out of order.
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
  };
}
