import type { NewStream } from '../../streams/index.ts';
import type { Stream } from '../domain/instruction.ts';

/** The settings of the element's stream, in the form of the streams feature. */
export function streamOf(
  element: Stream,
): Omit<
  NewStream,
  'stream' | 'account' | 'mainAccount' | 'owner' | 'callUuid' | 'from' | 'to' | 'tracks' | 'hearers'
> {
  const { statusCallback, middleEvents, fallbackUrl } = element;
  return {
    serviceUrl: element.url,
    ...(fallbackUrl === null ? {} : { fallbackUrl }),
    bidirectional: element.bidirectional,
    audioTrack: element.audioTrack,
    contentType: element.contentType,
    dialect: element.dialect,
    timeoutSeconds: element.timeoutSeconds,
    extraHeaders: element.extraHeaders,
    noiseCancellationLevel: element.noiseCancellationLevel,
    statusCallback:
      statusCallback === null
        ? null
        : { ...statusCallback, ...(middleEvents === null ? {} : { middle: middleEvents }) },
    binary: element.binaryFrames,
    ...(element.voiceActivity === undefined ? {} : { voiceActivity: element.voiceActivity }),
    resumable: element.resumable,
    stopFrame: element.stopFrame,
    keepCallAlive: element.keepCallAlive,
  };
}
