export type FraudLevel = 'off' | 'low' | 'medium' | 'high';

/** From `sends` on, at least `percent` of them must have led to a verification. */
interface Demand {
  readonly sends: number;
  readonly percent: number;
}

/**
 * Pumped numbers receive codes and return none. People mistype and give up too, so a level blocks only far below the rate of
 * sign-in flows (well above half), and only after enough sends.
 */
const demands: Readonly<Record<Exclude<FraudLevel, 'off'>, Demand>> = {
  low: { sends: 200, percent: 3 },
  medium: { sends: 100, percent: 10 },
  high: { sends: 30, percent: 20 },
};

/** True when too few codes that were sent to a prefix came back. */
export function looksPumped(level: FraudLevel, sent: number, verified: number): boolean {
  if (level === 'off') return false;
  const { sends, percent } = demands[level];
  return sent >= sends && verified * 100 < sent * percent;
}
