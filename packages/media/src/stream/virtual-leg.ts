import { l16 } from '../codec/l16.ts';
import type { Leg } from '../engine/leg.ts';
import type { StreamSource } from './stream-source.ts';

/**
 * Makes a newly opened leg virtual: it says the audio of its stream source and hears its edges, without packets. Throws a
 * RangeError for an unsupported rate.
 */
export function becomeVirtual(leg: Leg, streamSource: StreamSource): void {
  const sampleRate = streamSource.source.frame.length * 50;
  const codec = l16(sampleRate);
  if (codec === undefined)
    throw new RangeError(
      `the rate of a virtual leg is ${sampleRate} Hz: 8000, 16000, 24000 and 48000 are allowed`,
    );
  leg.streamSource = streamSource;
  leg.codec = codec;
  leg.codecIndex = 2;
  leg.units = codec.clockRate / 50;
  // It does not listen to packets, so no turn waits for them, and no audio is relayed to it.
  leg.sends = true;
  leg.agreed = {
    address: '',
    port: 0,
    codec: 'L16',
    clockRate: sampleRate,
    payloadType: 0,
    direction: 'sendonly',
    ptimeMs: 20,
  };
}
