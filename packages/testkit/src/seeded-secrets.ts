import { createSecrets } from '@jackfield/adapters/secrets';
import type { Secrets } from '@jackfield/ports';

/** The real port, but identifiers and tokens come from the given random source, so that a seed repeats a run. */
export function createSeededSecrets(random: () => number): Secrets {
  const real = createSecrets(new Uint8Array(32).fill(7));
  const randomBytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
  return {
    ...real,
    randomBytes,
    randomUuid() {
      const bytes = randomBytes(16);
      // RFC 9562 §5.7: version 7 as of the real port, but with a random time; variant 10.
      bytes[6] = (bytes[6]! & 0x0f) | 0x70;
      bytes[8] = (bytes[8]! & 0x3f) | 0x80;
      const hex = Buffer.from(bytes).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
