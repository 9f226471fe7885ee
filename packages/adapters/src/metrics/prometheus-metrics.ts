import type { MetricSource, Metrics } from '@jackfield/ports';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricsOptions {
  /** Series of one metric, 1,000: all operations of the interface with the statuses of ordinary use. Further ones lose label values. */
  readonly maxSeries?: number;
  /** Upper bounds of the histograms' buckets, in seconds. */
  readonly buckets?: readonly number[];
  /** Counters and histograms by name: they appear in every scrape, with their description. Other metrics are described by their names. */
  readonly described?: Readonly<Record<string, DescribedMetric>>;
  /** Memory, CPU and event-loop lag of the process; omitted where one process has several registries. */
  readonly process?: boolean;
}

/** A counter, or a histogram where it has buckets. */
export interface DescribedMetric {
  readonly sentence: string;
  readonly labels?: readonly string[];
  readonly buckets?: readonly number[];
}

type Labels = Readonly<Record<string, string>>;

interface Series<Metric> {
  readonly metric: Metric;
  readonly labelNames: readonly string[];
  readonly seen: Set<string>;
  /** The values of each label in these series. */
  readonly values: ReadonlyMap<string, Set<string>>;
  /** Series beyond the limit, with `other` as the value of some labels. */
  readonly rest: Set<string>;
}

// From one millisecond, for packets, to ten seconds, after which a caller has hung up.
const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Interval of samples of the event-loop lag, and the smallest lag reported. The usual 10 ms cost 0.25 % of a core in an idle process. */
const lagEveryMs = 50;

/** The port by prom-client, with its own registry. Wrong labels are counted and never fail the caller. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const {
    maxSeries = 1_000,
    buckets = defaultBuckets,
    described = {},
    process: withProcess = true,
  } = options;
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagEveryMs });
  const counters = new Map<string, Series<Counter>>();
  const histograms = new Map<string, Series<Histogram>>();
  const misused = new Counter({
    name: 'jackfield_metrics_misused_total',
    help: 'Measurements whose label names differed from those of the first, or whose series were too many.',
    labelNames: ['metric'],
    registers: [registry],
  });

  const bounded = (name: string, series: Series<unknown>, labels: Labels): Labels => {
    if (fits(series, labels, maxSeries)) return labels;
    misused.inc({ metric: name });
    return withoutRareValues(series, labels, maxSeries);
  };

  const helpOf = (name: string) => described[name]?.sentence ?? sentenceOf(name);
  const counterOf = (name: string, labels: Labels) =>
    seriesOf(counters, name, labels, (labelNames) => {
      return new Counter({ name, help: helpOf(name), labelNames, registers: [registry] });
    });
  const histogramOf = (name: string, labels: Labels) =>
    seriesOf(histograms, name, labels, (labelNames) => {
      const own = [...(described[name]?.buckets ?? buckets)];
      return new Histogram({ name, help: helpOf(name), labelNames, buckets: own, registers: [registry] });
    });
  for (const [name, { labels = [], buckets: own }] of Object.entries(described)) {
    const named = Object.fromEntries(labels.map((label) => [label, '']));
    if (own === undefined) counterOf(name, named);
    else histogramOf(name, named);
  }

  return {
    count(name, labels = {}, by = 1) {
      const series = counterOf(name, labels);
      series.metric.inc(bounded(name, series, labels), by);
    },
    gauge(name, sentence, source) {
      new Gauge({
        name,
        help: sentence,
        labelNames: labelsOf(source),
        registers: [registry],
        async collect() {
          // Labels of the last scrape may no longer exist.
          if (typeof source !== 'function') this.reset();
          for (const [labels, value] of await valuesOf(source)) this.set(labels, value);
        },
      });
    },
    total(name, sentence, source) {
      new Counter({
        name,
        help: sentence,
        labelNames: labelsOf(source),
        registers: [registry],
        async collect() {
          const values = await valuesOf(source);
          // A source that does not answer has not restarted: its last value stays.
          if (values.length === 0 || values.some(([, value]) => Number.isNaN(value))) return;
          this.reset();
          for (const [labels, value] of values) this.inc(labels, value);
        },
      });
    },
    histogram(name, sentence, read) {
      registry.registerMetric(keptHistogram(name, sentence, read) as unknown as Histogram);
    },
    observe(name, value, labels = {}) {
      const series = histogramOf(name, labels);
      series.metric.observe(bounded(name, series, labels), value);
    },
    text: () => registry.metrics(),
  };
}

function seriesOf<Metric>(
  table: Map<string, Series<Metric>>,
  name: string,
  labels: Labels,
  create: (labelNames: readonly string[]) => Metric,
): Series<Metric> {
  let series = table.get(name);
  if (series === undefined) {
    const labelNames = Object.keys(labels);
    const values = new Map(labelNames.map((label) => [label, new Set<string>()]));
    series = { metric: create(labelNames), labelNames, seen: new Set(), values, rest: new Set() };
    table.set(name, series);
  }
  return series;
}

/** Whether the labels have the names of the first measurement, and are a known series or a new one within the limit. */
function fits({ labelNames, seen, values }: Series<unknown>, labels: Labels, maxSeries: number): boolean {
  const key = keyOf(labelNames, labels);
  const known = seen.has(key);
  if (!isNamed(labelNames, labels) || (!known && seen.size >= maxSeries)) return false;
  if (!known) {
    seen.add(key);
    for (const label of labelNames) values.get(label)!.add(labels[label]!);
  }
  return true;
}

/** The label with most values loses its own first: an alert by status goes on although the paths are too many. */
function withoutRareValues(
  { labelNames, values, rest }: Series<unknown>,
  labels: Labels,
  maxSeries: number,
): Labels {
  const kept: Record<string, string> = isNamed(labelNames, labels) ? { ...labels } : {};
  const byValues = labelNames.toSorted((one, two) => values.get(two)!.size - values.get(one)!.size);
  for (const label of byValues) {
    kept[label] = 'other';
    const key = keyOf(labelNames, kept);
    if (Object.keys(kept).length === labelNames.length && (rest.has(key) || rest.size < maxSeries)) {
      rest.add(key);
      break;
    }
  }
  return kept;
}

function isNamed(labelNames: readonly string[], labels: Labels): boolean {
  return Object.keys(labels).length === labelNames.length && labelNames.every((key) => key in labels);
}

function keyOf(labelNames: readonly string[], labels: Labels): string {
  return labelNames.map((each) => labels[each] ?? '').join('\n');
}

function labelsOf(source: MetricSource): string[] {
  return typeof source === 'function' ? [] : [source.label];
}

async function valuesOf(source: MetricSource): Promise<readonly (readonly [Labels, number])[]> {
  if (typeof source === 'function') return [[{}, await askedOf(source)]];
  try {
    return [...source.values()].map(([value, number]) => [{ [source.label]: value }, number] as const);
  } catch {
    return [];
  }
}

/** A metric in the form that the registry reads: prom-client's own histogram cannot be set. */
function keptHistogram(name: string, help: string, read: Parameters<Metrics['histogram']>[2]) {
  const values = async () => {
    const kept = await read().catch(() => undefined);
    if (kept === undefined) return [];
    const bucket = (le: number | '+Inf', value: number) => ({
      metricName: `${name}_bucket`,
      labels: { le },
      value,
    });
    return [
      ...kept.upTo.map(({ bound, count }) => bucket(bound, count)),
      bucket('+Inf', kept.count),
      { metricName: `${name}_sum`, labels: {}, value: kept.sum },
      { metricName: `${name}_count`, labels: {}, value: kept.count },
    ];
  };
  return {
    name,
    async get() {
      return { name, help, type: 'histogram', aggregator: 'sum', values: await values() };
    },
    reset() {},
  };
}

/** One broken gauge must not hide the others from a scrape. */
async function askedOf(value: () => number | Promise<number>): Promise<number> {
  try {
    return await value();
  } catch {
    return Number.NaN;
  }
}

/** `jackfield_sip_requests_total` → `sip requests`: the format requires a description, and the name gives it. */
function sentenceOf(name: string): string {
  return name.replace(/^jackfield_|_total$/g, '').replaceAll('_', ' ');
}
