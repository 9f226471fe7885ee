import { readBase64 } from '../base64.ts';
import { excerpt, isObject, readObject, refused } from './read-json.ts';
import type { ReceivedFrame } from './stream-dialect.ts';

const events = 'playAudio, checkpoint, clearAudio, sendDTMF and stop';
const MOST_NAME = 1024;
const MOST_DIGITS = 64;

/** Reads a message of docs/guides/streams.md#frames. */
export function readPlivoFrame(text: string, stream: string): ReceivedFrame {
  const read = readObject(text);
  if ('event' in read) return read;
  const { frame } = read;
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
      return { event: 'clear' };
    case 'sendDTMF': {
      // Some clients write the object form of the outgoing frames.
      const digits = isObject(frame.dtmf) ? frame.dtmf.digit : frame.dtmf;
      if (typeof digits === 'string' && digits.length <= MOST_DIGITS && /^[0-9*#A-Da-dwW]+$/.test(digits)) {
        return { event: 'press', digits };
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
  const bytes = readBase64(payload);
  if (bytes === undefined) return refused('playAudio: payload is not base64');
  return { event: 'play', contentType, sampleRate, bytes };
}

/** SDKs write a number, the oldest pages a text. */
function rateOf(value: unknown): number | undefined | 'none' {
  if (value === undefined || value === null || value === '') return undefined;
  const rate = typeof value === 'string' && /^ *[0-9]{4,5} *$/.test(value) ? Number(value) : value;
  if (typeof rate !== 'number' || !Number.isInteger(rate)) return 'none';
  return rate >= 8000 && rate <= 48_000 ? rate : 'none';
}
