import { type Load, type Measured, median, quantile } from './measure.ts';
import type { Figure } from './report.ts';

/** One run of both servers at the same time on one core, so that other load hits both alike. */
export interface Round {
  readonly ours: Measured<Load>;
  readonly theirs: Measured<Load>;
  /** Our operations per CPU second: theirs. */
  readonly ratio: number;
}

export interface RoundsOptions {
  /** Runs that do not count: a new process compiles in its first ones. */
  readonly warmUps: number;
  readonly rounds: number;
  ours(): Promise<Measured<Load>>;
  theirs(): Promise<Measured<Load>>;
}

/** Runs both servers side by side; a failed operation ends the bench. */
export async function runRounds({ warmUps, rounds, ours, theirs }: RoundsOptions): Promise<readonly Round[]> {
  const counted: Round[] = [];
  for (let run = 0; run < warmUps + rounds; run++) {
    const [one, two] = await Promise.all([ours(), theirs()]);
    const failures = one.failures + two.failures;
    if (failures > 0) throw new Error(`${failures} operations of two servers beside each other failed`);
    if (run >= warmUps) counted.push({ ours: one, theirs: two, ratio: one.perCore / two.perCore });
  }
  return counted;
}

/** The measurement with the middle ratio, and the quartiles of all ratios as text. */
export function middleOf<Measurement>(
  all: readonly Measurement[],
  ratioOf: (each: Measurement) => number,
): { readonly middle: Measurement; readonly quartiles: string } {
  const ratios = all.map(ratioOf).sort((left, right) => left - right);
  const [low, high] = [0.25, 0.75].map((part) => quantile(ratios, part).toFixed(2));
  return { middle: all.find((each) => ratioOf(each) === median(ratios))!, quartiles: `${low} to ${high}` };
}

/** The round with the middle ratio, beside that of the other server; `times` is the share of its rate that we want at least. */
export function roundsFigure(
  rounds: readonly Round[],
  { what, name, times }: { readonly what: string; readonly name: string; readonly times: number },
): Figure {
  const { middle, quartiles } = middleOf(rounds, ({ ratio }) => ratio);
  const { ours, theirs } = middle;
  const each = `${ours.cpuMicroseconds.toFixed(0)} µs of CPU, ${name} ${theirs.cpuMicroseconds.toFixed(0)}`;
  return {
    what: `${what}, at the same time on one core`,
    value: ours.perCore,
    unit: '/s per core',
    budget: { atLeast: times * theirs.perCore },
    floor: { what: name, value: theirs.perCore },
    note: `${each}; quartiles of the ratios of ${rounds.length} rounds ${quartiles}`,
  };
}
