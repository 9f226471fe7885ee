export type FraudLevel = 'off' | 'low' | 'medium' | 'high';

/** From so many sends on, so many of a hundred must have led to a verification. */
interface Demand {
  readonly sends: number;
  readonly percent: number;
}

/**
 * Pumped numbers are sent codes and type none back. People mistype and give up too, so a level blocks only far below what
 * sign-in flows reach (well above half), and only when enough was sent to tell.
 */
const demands: Readonly<Record<Exclude<FraudLevel, 'off'>, Demand>> = {
  low: { sends: 200, percent: 3 },
  medium: { sends: 100, percent: 10 },
  high: { sends: 30, percent: 20 },
};

/** True when what a prefix has been sent shows that nobody reads it. */
export function looksPumped(level: FraudLevel, sent: number, verified: number): boolean {
  if (level === 'off') return false;
  const { sends, percent } = demands[level];
  return sent >= sends && verified * 100 < sent * percent;
}
