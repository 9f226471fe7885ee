import { l16 } from '../codec/l16.ts';
import type { Leg } from '../engine/leg.ts';
import type { Feed } from './feed.ts';

/**
 * Makes a leg that was just opened one without a phone: it says what is fed, it hears what it has edges to, and no packet comes
 * or goes. Throws a RangeError for a rate at which no leg speaks.
 */
export function becomeVirtual(leg: Leg, feed: Feed): void {
  const sampleRate = feed.source.frame.length * 50;
  const codec = l16(sampleRate);
  if (codec === undefined) throw new RangeError(`no leg speaks at ${sampleRate} Hz`);
  leg.feed = feed;
  leg.codec = codec;
  leg.codecIndex = 2;
  leg.units = codec.clockRate / 50;
  // It does not listen to packets, so nobody waits for them, and nobody is relayed to it.
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
