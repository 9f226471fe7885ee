import { openNativeCiphers } from '@jackfield/adapters/media-worker/native-ciphers';
import {
  createSrtpCounters,
  createSrtpReceiver,
  createSrtpSender,
  type SrtpCiphers,
  type SrtpSuiteName,
} from '@jackfield/media';
import { nodeCiphers } from '@jackfield/media/io';
import type { Load } from '../measure.ts';
import { servePart } from '../part.ts';

export type CipherKind = 'native' | 'node';

export interface SrtpRun {
  readonly ciphers: CipherKind;
  readonly suite: SrtpSuiteName;
  readonly packets: number;
}

const native = await openNativeCiphers();
const keyBytes: Partial<Record<SrtpSuiteName, number>> = {
  AES_CM_128_HMAC_SHA1_80: 30,
  AEAD_AES_128_GCM: 28,
};
/** 20 ms of G.711 behind an RTP header. */
const plainBytes = 172;

servePart({
  hasNative: () => native !== undefined,
  /** Protects and unprotects packets of one leg, one after another. */
  run({ ciphers: kind, suite, packets }: SrtpRun): Load {
    const ciphers: SrtpCiphers = kind === 'native' ? native! : nodeCiphers;
    const master = { suite, keyAndSalt: new Uint8Array(keyBytes[suite]!).fill(5) };
    const counters = createSrtpCounters();
    const sender = createSrtpSender(ciphers, master);
    const receiver = createSrtpReceiver(ciphers, master, counters);
    const packet = new Uint8Array(200);
    packet[0] = 0x80;
    const out = new Uint8Array(2048);
    const start = performance.now();
    let failures = 0;
    for (let n = 0; n < packets; n++) {
      packet[2] = n >> 8;
      packet[3] = n;
      const length = sender.protect(packet, plainBytes);
      if (receiver.unprotect(packet, length, out) !== plainBytes) failures++;
    }
    const seconds = (performance.now() - start) / 1000;
    sender.close();
    receiver.close();
    return { operations: packets, seconds, failures };
  },
});
