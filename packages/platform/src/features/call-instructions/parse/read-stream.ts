import type { Stream } from '../domain/instruction.ts';
import { attributesOf, isWebSocketUrl, webSocketUrlAllowed } from './attributes.ts';
import { bodyOf, type ElementReader } from './contents.ts';
import { quoted } from './xml-tree.ts';

const contentTypes = [
  'audio/x-l16;rate=8000',
  'audio/x-l16;rate=16000',
  'audio/x-l16;rate=24000',
  'audio/x-mulaw;rate=8000',
] as const;

export const readStream: ElementReader<Stream> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const bidirectional = attributes.flag('bidirectional', false);
  const audioTrack = attributes.oneOf('audioTrack', ['inbound', 'outbound', 'both'], 'inbound');
  // interface.md: with bidirectional true, audio_track cannot be outbound or both.
  if (bidirectional && audioTrack !== 'inbound') {
    attributes.refuse('audioTrack', 'inbound where bidirectional is true');
  }
  const extraHeaders = attributes.text('extraHeaders', {
    pattern: /^[^\p{Cc}\p{Cs}]*$/u,
    allowed: 'pairs such as name=value,other=value',
  });
  if (extraHeaders !== null && new TextEncoder().encode(extraHeaders).length > 512) {
    attributes.refuse('extraHeaders', 'at most 512 bytes long');
  }
  const isCleaned = attributes.flag('noiseCancellation', false);
  const level = attributes.integer('noiseCancellationLevel', { min: 60, max: 100, byDefault: 85 });
  const stream = {
    element: 'Stream',
    bidirectional,
    audioTrack,
    timeoutSeconds: attributes.integer('streamTimeout', { min: 1, max: 86_400, byDefault: 86_400 }),
    contentType: attributes.oneOf('contentType', contentTypes, 'audio/x-l16;rate=8000'),
    keepCallAlive: attributes.flag('keepCallAlive', false),
    extraHeaders: extraHeaders ?? '',
    statusCallback: attributes.request('statusCallbackUrl', 'statusCallbackMethod'),
    noiseCancellationLevel: isCleaned ? level : null,
  } as const;
  attributes.end();
  const url = bodyOf(element, reading);
  if (!isWebSocketUrl(url)) {
    reading.refuse(element.line, `<Stream> must hold ${webSocketUrlAllowed}, not ${quoted(url)}`);
  }
  return { ...stream, url };
};
