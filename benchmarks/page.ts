/** What `benchmarks/latest.json` holds: figures, and the runs that they come from. */
export interface Latest {
  readonly runs: Readonly<Record<string, Run>>;
  readonly figures: readonly MeasuredFigure[];
}

interface Run {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  /** What else used the machine. */
  readonly load: string;
  readonly command: string;
}

export interface MeasuredFigure {
  /** The heading that it stands under. */
  readonly area: string;
  readonly what: string;
  /** With its unit. */
  readonly figure: string;
  readonly budget?: string;
  readonly isMet?: boolean;
  /** A floor or another program, measured in the same run, and the ratio to it. */
  readonly beside?: string;
  /** The key of its run. */
  readonly run: string;
}

const introduction = `# Benchmarks

After this page you know what a server can carry, which budgets it misses, and how to measure it yourself. [benchmarks/README.md](../benchmarks/README.md) says what each bench
measures and how. The page is written by \`npx node benchmarks/write-page.ts\` from \`benchmarks/latest.json\`; earlier figures are in git.

\`\`\`sh
npm run bench -- parser --scale 0.05
\`\`\`

That is the bench of the parser in seconds, with a twentieth of its work: it shows that all is there, and its figures are rough. Without \`--scale\` a bench does all of its work, on
a machine that does nothing else. Several names are several benches; no name is all of them but those that need another server, in about twelve minutes, and CI does not run that.

The commands print a table and write \`benchmarks/results/<name>.json\`. "Per core" is per second of CPU time of the process under test, all threads. A floor, or another
program, runs in the same minutes on the same machine: compare ratios, because rates follow the machine. A figure without one is an order of magnitude.

## Runs
`;

/** The whole page. */
export function pageText({ runs, figures }: Latest): string {
  const runRows = Object.entries(runs).map(
    ([name, { commit, date, machine, load, command }]) =>
      `| ${name} | \`${commit}\` | ${date} | ${machine} | ${load} | \`${command}\` |\n`,
  );
  const areas = [...Map.groupBy(figures, ({ area }) => area)].map(
    ([area, each]) =>
      `\n## ${area}\n\n| what | figure | budget | beside it | run |\n|---|---|---|---|---|\n${each.map(rowOf).join('')}`,
  );
  return `${introduction}
| run | commit | date | machine | other load | command |
|---|---|---|---|---|---|
${runRows.join('')}${areas.join('')}`;
}

function rowOf({ what, figure, budget, isMet, beside = '', run }: MeasuredFigure): string {
  const verdict = budget === undefined ? '' : `${budget}, ${isMet ? 'met' : '**missed**'}`;
  return `| ${what} | ${figure} | ${verdict} | ${beside} | ${run} |\n`;
}
