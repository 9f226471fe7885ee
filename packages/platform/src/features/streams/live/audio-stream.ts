import type { AudioStreams } from '@jackfield/ports';
import type { StreamEffect, StreamSettings } from '../domain/stream.ts';
import { extraHeadersOnWire } from './extra-headers.ts';

type AudioStreamSpec = Parameters<AudioStreams['open']>[0];

/** What the media engine opens for a stream; `resumeMs` is how long it keeps the audio of a lost connection that may be resumed. */
export function audioStreamOf(
  order: StreamSettings,
  { tracks, hearers }: Extract<StreamEffect, { do: 'open' }>,
  resumeMs: number,
): AudioStreamSpec {
  const [encoding = '', rate = ''] = order.contentType.toLowerCase().split(';rate=');
  const { asLeg, noiseCancellationLevel, binary, voiceActivity } = order;
  return {
    stream: order.stream,
    call: order.callUuid,
    account: order.account,
    dialect: order.dialect ?? 'plivo',
    encoding: encoding === 'audio/x-mulaw' ? encoding : 'audio/x-l16',
    sampleRate: Number(rate) || 8000,
    tracks,
    bidirectional: order.bidirectional,
    hearers,
    extraHeaders: extraHeadersOnWire(order.extraHeaders),
    stopFrame: order.stopFrame ?? true,
    keepLostMs: order.resumable === true ? resumeMs : 0,
    ...(asLeg === undefined ? {} : { asLeg, beside: order.owner.id }),
    ...(noiseCancellationLevel === null ? {} : { noiseCancellationLevel }),
    ...(binary === undefined ? {} : { binary }),
    ...(voiceActivity === undefined ? {} : { voiceActivity }),
  };
}
