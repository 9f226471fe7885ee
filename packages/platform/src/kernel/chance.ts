import type { Secrets } from '@jackfield/ports';

/** A random number from 0 up to 1, with 32 random bits. */
export function randomChance(secrets: Pick<Secrets, 'randomBytes'>): number {
  const [a = 0, b = 0, c = 0, d = 0] = secrets.randomBytes(4);
  return (((a * 256 + b) * 256 + c) * 256 + d) / 2 ** 32;
}
