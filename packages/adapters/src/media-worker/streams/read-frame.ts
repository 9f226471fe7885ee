import type { FrameRefusal } from '@jackfield/ports';

/** A command of the other side, or the reason for its refusal as a sentence for the developer. */
export type ReceivedFrame =
  | {
      readonly event: 'playAudio';
      readonly contentType: string;
      readonly sampleRate: number | undefined;
      readonly payload: string;
    }
  | { readonly event: 'checkpoint'; readonly name: string }
  | { readonly event: 'clearAudio' }
  | { readonly event: 'sendDTMF'; readonly digits: string }
  | { readonly event: 'stop' }
  | { readonly event: 'refused'; readonly code: FrameRefusal; readonly sentence: string };

const events = 'playAudio, checkpoint, clearAudio, sendDTMF and stop';
const MOST_NAME = 1024;
const MOST_DIGITS = 64;

/** Reads one text message. Never throws, and costs no more than its length; unknown members are ignored. */
export function readFrame(text: string, stream: string): ReceivedFrame {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return refused(`the message is not JSON: ${excerpt(text)}`);
  }
  if (!isObject(frame)) return refused('the message is not a JSON object');
  const { event, streamId } = frame;
  if (streamId !== undefined && streamId !== null && streamId !== stream) {
    return refused(`streamId ${excerpt(streamId)} is not the one of this stream`, 'foreign-stream');
  }
  switch (event) {
    case 'playAudio':
      return readPlay(frame.media);
    case 'checkpoint': {
      const { name } = frame;
      if (typeof name === 'string' && name.length > 0 && name.length <= MOST_NAME) return { event, name };
      return refused(`checkpoint: name ${excerpt(name)} is not a text of 1 to ${MOST_NAME} characters`);
    }
    case 'clearAudio':
      return { event };
    case 'sendDTMF': {
      // Some clients write the object form of the outgoing frames.
      const digits = isObject(frame.dtmf) ? frame.dtmf.digit : frame.dtmf;
      if (typeof digits === 'string' && digits.length <= MOST_DIGITS && /^[0-9*#A-Da-dwW]+$/.test(digits)) {
        return { event, digits };
      }
      return refused(
        `sendDTMF: dtmf ${excerpt(digits)} is not 1 to ${MOST_DIGITS} of 0-9, *, #, A-D, w and W`,
      );
    }
    case 'stop':
      return { event };
    default:
      return refused(`event ${excerpt(event)} is not known; ${events} are`, 'unknown-event');
  }
}

function readPlay(media: unknown): ReceivedFrame {
  if (!isObject(media)) return refused('playAudio: media is missing, or is not an object');
  const { contentType = '', payload } = media;
  if (typeof contentType !== 'string') {
    return refused(`playAudio: contentType ${excerpt(contentType)} is not a text`);
  }
  if (typeof payload !== 'string') return refused('playAudio: payload is missing, or is not a text');
  const sampleRate = rateOf(media.sampleRate);
  if (sampleRate === 'none') {
    return refused(
      `playAudio: sampleRate ${excerpt(media.sampleRate)} is not a whole number from 8000 to 48000`,
    );
  }
  return { event: 'playAudio', contentType, sampleRate, payload };
}

/** SDKs write a number, the oldest pages a text. */
function rateOf(value: unknown): number | undefined | 'none' {
  if (value === undefined || value === null || value === '') return undefined;
  const rate = typeof value === 'string' && /^ *[0-9]{4,5} *$/.test(value) ? Number(value) : value;
  if (typeof rate !== 'number' || !Number.isInteger(rate)) return 'none';
  return rate >= 8000 && rate <= 48_000 ? rate : 'none';
}

function refused(sentence: string, code: FrameRefusal = 'malformed-frame'): ReceivedFrame {
  return { event: 'refused', code, sentence };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A prefix of a value that fits into a sentence. */
function excerpt(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}
