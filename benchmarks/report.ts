import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

/** One figure of a bench. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly budget?: Budget;
  /** The minimum cost of this kind of work, measured in the same run; the ratio shows what we add. */
  readonly floor?: { readonly what: string; readonly value: number };
  readonly note?: string;
}

export type Budget = { readonly atLeast: number } | { readonly atMost: number };

export interface BenchResult {
  readonly figures: readonly Figure[];
  /** All other measurements, for the JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Bench {
  readonly name: string;
  run(options: BenchOptions): Promise<BenchResult>;
}

export interface BenchOptions {
  /** Directory for CPU profiles of the parts under test. */
  readonly profile: string | undefined;
  /** The amount of work, default 1; only benches that take minutes use it. */
  readonly scale: number;
}

const results = join(import.meta.dirname, 'results');

/** A file of `results`. */
export interface WrittenResult extends BenchResult {
  readonly name: string;
  readonly at: string;
  readonly machine: { readonly cpu?: string; readonly cores: number; readonly node: string };
  readonly load: { readonly before: readonly number[]; readonly after: readonly number[] };
}

export function readResult(name: string): WrittenResult {
  return JSON.parse(readFileSync(join(results, `${name}.json`), 'utf8')) as WrittenResult;
}

/** Writes `results/<name>.json`: the figures, their sources, and the load of the machine. */
export function writeResult(name: string, result: BenchResult, loadBefore: readonly number[]): void {
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model, cores: cpus().length, node: process.version, kernel: process.platform };
  const load = { before: loadBefore, after: loadavg() };
  const at = new Date().toISOString();
  mkdirSync(results, { recursive: true });
  writeFileSync(
    join(results, `${name}.json`),
    `${JSON.stringify({ name, at, machine, load, ...result }, null, 2)}\n`,
  );
}

/** The printed table: one line per figure. */
export function tableOf(all: readonly (BenchResult & { readonly name: string })[]): string {
  const head = ['bench', 'what', 'figure', 'budget', '', 'floor in the same run', 'note'];
  const rows = all.flatMap(({ name, figures }) =>
    figures.map((figure) => [
      name,
      figure.what,
      `${shown(figure.value)} ${figure.unit}`,
      budgetOf(figure.budget),
      verdictOf(figure),
      figure.floor === undefined ? '' : floorOf(figure.value, figure.floor),
      figure.note ?? '',
    ]),
  );
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export function isMissed({ value, budget }: Figure): boolean {
  if (budget === undefined) return false;
  return 'atLeast' in budget ? !(value >= budget.atLeast) : !(value <= budget.atMost);
}

function budgetOf(budget: Budget | undefined): string {
  if (budget === undefined) return '';
  return 'atLeast' in budget ? `≥ ${shown(budget.atLeast)}` : `≤ ${shown(budget.atMost)}`;
}

function verdictOf(figure: Figure): string {
  if (figure.budget === undefined) return '';
  return isMissed(figure) ? 'missed' : 'met';
}

/** The floor of a figure, and the figure as a multiple of it. */
export function floorOf(value: number, floor: { readonly what: string; readonly value: number }): string {
  return `${floor.what}: ${shown(floor.value)} (${(value / floor.value).toFixed(2)} of it)`;
}

export function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
