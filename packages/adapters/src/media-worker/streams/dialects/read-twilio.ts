import { readBase64 } from '../base64.ts';
import { excerpt, isObject, readObject, refused } from './read-json.ts';
import type { ReceivedFrame } from './stream-dialect.ts';

const MOST_NAME = 1024;

/** Reads a message of docs/guides/streams.md#the-twilio-dialect. */
export function readTwilioFrame(text: string, stream: string): ReceivedFrame {
  const read = readObject(text);
  if ('event' in read) return read;
  const { event, streamSid, media, mark } = read.frame;
  if (streamSid !== undefined && streamSid !== null && streamSid !== stream) {
    return refused(`streamSid ${excerpt(streamSid)} is not the one of this stream`, 'foreign-stream');
  }
  switch (event) {
    case 'media': {
      const payload = isObject(media) ? media.payload : undefined;
      const bytes = typeof payload === 'string' ? readBase64(payload) : undefined;
      if (bytes === undefined) return refused('media: media.payload is missing, or is not base64');
      return { event: 'play', contentType: 'audio/x-mulaw', sampleRate: 8000, bytes };
    }
    case 'mark': {
      const name = isObject(mark) ? mark.name : undefined;
      if (typeof name === 'string' && name.length > 0 && name.length <= MOST_NAME) {
        return { event: 'checkpoint', name };
      }
      return refused(`mark: mark.name ${excerpt(name)} is not a text of 1 to ${MOST_NAME} characters`);
    }
    case 'clear':
      return { event };
    default:
      return refused(`event ${excerpt(event)} is not known; media, mark and clear are`, 'unknown-event');
  }
}
