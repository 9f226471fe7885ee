import { bestOf, type Load, type Measured, measure } from '../measure.ts';
import { startPart } from '../part.ts';
import type { CipherKind, SrtpRun } from '../parts/srtp.ts';
import type { Bench, Figure } from '../report.ts';

const suites = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM'] as const;
const rounds = 5;
const packets = 100_000;
/** µs for protect and unprotect of one packet. */
const budget = 7;

/** The cost of SRTP: 20 ms of G.711 protected and unprotected, by direct calls into OpenSSL and by node:crypto in turn. */
export const srtp: Bench = {
  name: 'srtp',
  async run({ profile, scale }) {
    const part = startPart('srtp', { profile });
    try {
      const hasNative = await part.ask<boolean>('hasNative');
      const kinds: readonly CipherKind[] = hasNative ? ['native', 'node'] : ['node'];
      const figures: Figure[] = [];
      const details: Record<string, unknown> = {};
      for (const suite of suites) {
        const best: Partial<Record<CipherKind, Measured<Load>>> = {};
        for (let round = 0; round < rounds; round++) {
          for (const ciphers of kinds) {
            const order = { ciphers, suite, packets: Math.ceil(packets * scale) } satisfies SrtpRun;
            const found = await bestOf(1, () => measure(part, () => part.ask<Load>('run', order)));
            if (found.perCore > (best[ciphers]?.perCore ?? 0)) best[ciphers] = found;
          }
        }
        details[suite] = best;
        const tested = best.native ?? best.node!;
        figures.push({
          what: `${suite}, protected and unprotected`,
          value: tested.cpuMicroseconds,
          unit: 'µs a packet',
          budget: { atMost: budget },
          note: `node:crypto in the same run ${best.node!.cpuMicroseconds.toFixed(1)} µs`,
        });
      }
      return { figures, details };
    } finally {
      await part.stop();
    }
  },
};
