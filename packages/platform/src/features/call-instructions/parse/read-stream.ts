import {
  streamContentTypes,
  streamDialectNames,
  streamDialects,
  voiceActivityRanges,
} from '@jackfield/contract';
import { quoted } from '@jackfield/ports';
import {
  allowedExtraHeaders,
  allowedStatusCallbackEvents,
  areExtraHeaders,
  type MiddleEvent,
  readStatusCallbackEvents,
} from '../../streams/index.ts';
import type { Stream } from '../domain/instruction.ts';
import { type Attributes, attributesOf, isWebSocketUrl, listed, webSocketUrlAllowed } from './attributes.ts';
import { bodyOf, type ElementReader } from './contents.ts';

export const readStream: ElementReader<Stream> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const bidirectional = attributes.flag('bidirectional', false);
  const audioTrack = attributes.oneOf('audioTrack', ['inbound', 'outbound', 'both'], 'inbound');
  // docs/interface/documents.md#stream: with bidirectional true, audio_track cannot be outbound or both.
  if (bidirectional && audioTrack !== 'inbound') {
    attributes.refuse('audioTrack', 'inbound where bidirectional is true');
  }
  const isCleaned = attributes.flag('noiseCancellation', false);
  const level = attributes.integer('noiseCancellationLevel', { min: 60, max: 100, byDefault: 85 });
  const stream = {
    element: 'Stream',
    bidirectional,
    audioTrack,
    timeoutSeconds: attributes.integer('streamTimeout', { min: 1, max: 86_400, byDefault: 86_400 }),
    ...formatOf(attributes),
    keepCallAlive: attributes.flag('keepCallAlive', false),
    extraHeaders: extraHeadersOf(attributes, 'extraHeaders'),
    statusCallback: attributes.request('statusCallbackUrl', 'statusCallbackMethod'),
    noiseCancellationLevel: isCleaned ? level : null,
    middleEvents: middleEventsOf(attributes),
    resumable: attributes.flag('resumable', false),
    fallbackUrl: fallbackOf(attributes),
    stopFrame: attributes.flag('stopFrame', true),
    ...voiceActivityOf(attributes),
  } as const;
  attributes.end();
  const url = bodyOf(element, reading);
  if (!isWebSocketUrl(url)) {
    reading.refuse(element.line, `<Stream> must hold ${webSocketUrlAllowed}, not ${quoted(url)}`);
  }
  return { ...stream, url };
};

export function extraHeadersOf(attributes: Attributes, name: string): string {
  const written = attributes.text(name) ?? '';
  if (!areExtraHeaders(written)) attributes.refuse(name, allowedExtraHeaders);
  return written;
}

/** The dialect, and what it can carry. */
function formatOf(attributes: Attributes): Pick<Stream, 'dialect' | 'contentType' | 'binaryFrames'> {
  const dialect = attributes.oneOf('dialect', streamDialectNames, 'plivo');
  const { contentTypes, hasBinaryFrames } = streamDialects[dialect];
  const requested = attributes.oneOf('contentType', streamContentTypes, contentTypes[0]);
  const contentType = contentTypes.find((each) => each === requested);
  if (contentType === undefined) {
    attributes.refuse('contentType', `${listed(contentTypes, 'or')} where dialect is ${dialect}`);
  }
  const binaryFrames = attributes.flag('binaryFrames', false);
  if (binaryFrames && !hasBinaryFrames) {
    attributes.refuse('binaryFrames', `false where dialect is ${dialect}`);
  }
  return { dialect, contentType: contentType ?? contentTypes[0], binaryFrames };
}

/** Frames for the beginning and the end of speech; the dialect twilio has none. */
function voiceActivityOf(attributes: Attributes): Pick<Stream, 'voiceActivity'> {
  const isRequested = attributes.flag('voiceActivity', false);
  const { silenceMs, levelDb } = voiceActivityRanges;
  const voiceActivity = {
    silenceMs: attributes.integer('voiceActivitySilence', rangeOf(silenceMs)),
    levelDb: attributes.integer('voiceActivityLevel', rangeOf(levelDb)),
  };
  if (!isRequested) return {};
  const dialect = attributes.oneOf('dialect', streamDialectNames, 'plivo');
  if (!streamDialects[dialect].hasSpeechFrames) {
    attributes.refuse('voiceActivity', `false where dialect is ${dialect}`);
  }
  return { voiceActivity };
}

function rangeOf(range: { readonly minimum: number; readonly maximum: number; readonly default: number }) {
  return { min: range.minimum, max: range.maximum, byDefault: range.default };
}

/** Null for all. */
function middleEventsOf(attributes: Attributes): readonly MiddleEvent[] | null {
  const written = attributes.text('statusCallbackEvents');
  if (written === null) return null;
  const read = readStatusCallbackEvents(written);
  if (read === undefined) attributes.refuse('statusCallbackEvents', allowedStatusCallbackEvents);
  return read ?? [];
}

function fallbackOf(attributes: Attributes): string | null {
  const url = attributes.text('fallbackUrl');
  if (url !== null && !isWebSocketUrl(url)) attributes.refuse('fallbackUrl', webSocketUrlAllowed);
  return url;
}
