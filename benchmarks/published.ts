import type { Latest, MeasuredFigure } from './page.ts';
import { floorOf, isMissed, shown, type WrittenResult } from './report.ts';

export interface Publication {
  /** The heading of its figures. */
  readonly area: string;
  /** The key of its run. */
  readonly run: string;
  /** The checkout that was measured. */
  readonly commit: string;
}

/** The latest figures with those of a result in place of the figures under that heading, and the runs that a figure names. */
export function withResult(
  { runs, figures }: Latest,
  result: WrittenResult,
  { area, run, commit }: Publication,
): Latest {
  const { machine, load, name, at } = result;
  const own = result.figures.map((figure): MeasuredFigure => {
    const { what, value, unit, budget, floor, note } = figure;
    const beside = [floor && floorOf(value, floor), note].filter((text) => text !== undefined).join('; ');
    return {
      area,
      what,
      figure: `${shown(value)} ${unit}`,
      ...(budget === undefined
        ? {}
        : {
            budget: `${shown('atLeast' in budget ? budget.atLeast : budget.atMost)} ${unit}`,
            isMet: !isMissed(figure),
          }),
      ...(beside === '' ? {} : { beside }),
      run,
    };
  });
  const [before = 0] = load.before;
  const [after = 0] = load.after;
  const all = {
    ...runs,
    [run]: {
      commit,
      date: at.slice(0, 10),
      machine: `${machine.cores} cores of ${machine.cpu ?? 'an unknown processor'}, Node ${machine.node.slice(1)}`,
      load: `load average ${shown(before)} before, ${shown(after)} after`,
      command: `npx node benchmarks/bench.ts ${name}`,
    },
  };
  const kept = [...figures.filter((figure) => figure.area !== area), ...own];
  const named = new Set(kept.map((figure) => figure.run));
  return { runs: Object.fromEntries(Object.entries(all).filter(([key]) => named.has(key))), figures: kept };
}
