import {
  type NewCallStream,
  type NewMpcStream,
  readBoolean,
  readInteger,
  readOneOf,
  readRequest,
  streamContentTypes,
  streamDialectNames,
  streamDialects,
  streamTracks,
  voiceActivityRanges,
} from '@jackfield/contract';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { NewStream, StreamCallback } from './domain/new-stream.ts';
import { readExtraHeaders } from './live/extra-headers.ts';
import { allowedStatusCallbackEvents, readStatusCallbackEvents } from './status-callback-events.ts';

/** The settings that a request gives, without the leg. */
export type StreamSpec = Pick<
  NewStream,
  | 'serviceUrl'
  | 'fallbackUrl'
  | 'bidirectional'
  | 'audioTrack'
  | 'contentType'
  | 'dialect'
  | 'timeoutSeconds'
  | 'extraHeaders'
  | 'noiseCancellationLevel'
  | 'statusCallback'
  | 'binary'
  | 'voiceActivity'
  | 'resumable'
  | 'stopFrame'
>;

export const allowedWebSocketUrl =
  'a URL that starts with wss:// or ws:// and names a host, without user, password and fragment';

/** Reads a validated body. */
export function readStreamSpec(body: NewCallStream | NewMpcStream): Result<StreamSpec> {
  for (const parameter of ['service_url', 'fallback_url'] as const) {
    const url = body[parameter];
    if (url !== undefined && !isWebSocketUrl(url)) {
      return refused(invalidParameter(parameter, withoutCredentials(url), allowedWebSocketUrl));
    }
  }
  const bidirectional = readBoolean(body.bidirectional) ?? false;
  const audioTrack =
    readOneOf(streamTracks, 'audio_track' in body ? body.audio_track : undefined) ?? 'inbound';
  // docs/interface/streams.md#starting: with bidirectional true, audio_track cannot be outbound or both.
  if (bidirectional && audioTrack !== 'inbound') {
    return refused(invalidParameter('audio_track', audioTrack, 'inbound where bidirectional is true'));
  }
  const extraHeaders = readExtraHeaders(body.extra_headers);
  if (!extraHeaders.ok) return extraHeaders;
  const statusCallback = readStatusCallback(body);
  if (!statusCallback.ok) return statusCallback;
  const format = readFormat(body);
  if (!format.ok) return format;
  const level = readInteger(body.noise_cancellation_level) ?? 85;
  return accepted({
    serviceUrl: body.service_url,
    ...(body.fallback_url === undefined ? {} : { fallbackUrl: body.fallback_url }),
    bidirectional,
    audioTrack,
    ...format.value,
    timeoutSeconds: readInteger(body.stream_timeout) ?? 86_400,
    extraHeaders: extraHeaders.value,
    noiseCancellationLevel: readBoolean(body.noise_cancellation) === true ? level : null,
    statusCallback: statusCallback.value,
    resumable: readBoolean(body.resumable) ?? false,
    stopFrame: readBoolean(body.stop_frame) ?? true,
  });
}

/** The dialect, and what it can carry. */
function readFormat(
  body: NewCallStream | NewMpcStream,
): Result<Pick<StreamSpec, 'dialect' | 'contentType' | 'voiceActivity'> & { readonly binary: boolean }> {
  const dialect = readOneOf(streamDialectNames, body.dialect) ?? 'plivo';
  const { contentTypes, hasBinaryFrames, hasSpeechFrames } = streamDialects[dialect];
  const requested = readOneOf(streamContentTypes, body.content_type) ?? contentTypes[0];
  const contentType = contentTypes.find((each) => each === requested);
  if (contentType === undefined) {
    const allowed = `${contentTypes.join(', ')} where dialect is ${dialect}`;
    return refused(invalidParameter('content_type', requested, allowed));
  }
  const binary = readBoolean(body.binary_frames) ?? false;
  if (binary && !hasBinaryFrames) {
    return refused(invalidParameter('binary_frames', true, `false where dialect is ${dialect}`));
  }
  if (readBoolean(body.voice_activity) !== true) return accepted({ dialect, contentType, binary });
  if (!hasSpeechFrames) {
    return refused(invalidParameter('voice_activity', true, `false where dialect is ${dialect}`));
  }
  const voiceActivity = {
    silenceMs: readInteger(body.voice_activity_silence) ?? voiceActivityRanges.silenceMs.default,
    levelDb: readInteger(body.voice_activity_level) ?? voiceActivityRanges.levelDb.default,
  };
  return accepted({ dialect, contentType, binary, voiceActivity });
}

type CallbackFields = Pick<
  NewCallStream,
  'status_callback_url' | 'status_callback_method' | 'status_callback_events'
>;

function readStatusCallback(body: CallbackFields): Result<StreamCallback | null> {
  const written = body.status_callback_events;
  const middle = written === undefined ? undefined : readStatusCallbackEvents(written);
  if (written !== undefined && middle === undefined) {
    return refused(invalidParameter('status_callback_events', written, allowedStatusCallbackEvents));
  }
  const target = readRequest(body.status_callback_url, body.status_callback_method);
  if (target === null) return accepted(null);
  return accepted({ ...target, ...(middle === undefined ? {} : { middle }) });
}

/** Refuses URLs that can never be dialled; the guard checks the address at the connection. */
export function isWebSocketUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (hostname === '' || username !== '' || password !== '') return false;
  // RFC 6455 §3: fragments must not be used.
  return (protocol === 'ws:' || protocol === 'wss:') && !text.includes('#');
}

function withoutCredentials(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}
