import type { Metrics } from '@jackfield/platform';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricsOptions {
  /** Series of one metric; later combinations of label values are counted together under `other`. */
  readonly maxSeries?: number;
  /** Upper bounds of the histograms' buckets, in seconds. */
  readonly buckets?: readonly number[];
  /** Memory, CPU and event-loop lag of the process; left out where one process has several registries. */
  readonly process?: boolean;
}

type Labels = Readonly<Record<string, string>>;

interface Series<Metric> {
  readonly metric: Metric;
  readonly labelNames: readonly string[];
  readonly seen: Set<string>;
}

// From a packet's millisecond to the ten seconds after which a caller has hung up.
const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The port by prom-client, with a registry of its own. A mistake in labels is counted; it never breaks who measures. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { maxSeries = 200, buckets = defaultBuckets, process: withProcess = true } = options;
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Series<Counter>>();
  const histograms = new Map<string, Series<Histogram>>();
  const misused = new Counter({
    name: 'jackfield_metrics_misused_total',
    help: 'Measurements whose label names differed from those of the first, or whose series were too many.',
    labelNames: ['metric'],
    registers: [registry],
  });

  const seriesOf = <Metric>(
    table: Map<string, Series<Metric>>,
    name: string,
    labels: Labels,
    create: (labelNames: readonly string[]) => Metric,
  ): Series<Metric> => {
    let series = table.get(name);
    if (series === undefined) {
      const labelNames = Object.keys(labels);
      series = { metric: create(labelNames), labelNames, seen: new Set() };
      table.set(name, series);
    }
    return series;
  };

  const bounded = (name: string, { labelNames, seen }: Series<unknown>, labels: Labels): Labels => {
    const named =
      Object.keys(labels).length === labelNames.length && labelNames.every((key) => key in labels);
    const values = labelNames.map((key) => labels[key] ?? '');
    const key = values.join('\n');
    const known = seen.has(key);
    if (named && (known || seen.size < maxSeries)) {
      if (!known) seen.add(key);
      return labels;
    }
    misused.inc({ metric: name });
    return Object.fromEntries(labelNames.map((each) => [each, 'other']));
  };

  return {
    count(name, labels = {}, by = 1) {
      const series = seriesOf(counters, name, labels, (labelNames) => {
        return new Counter({ name, help: sentenceOf(name), labelNames, registers: [registry] });
      });
      series.metric.inc(bounded(name, series, labels), by);
    },
    gauge(name, sentence, value) {
      new Gauge({
        name,
        help: sentence,
        registers: [registry],
        async collect() {
          this.set(await askedOf(value));
        },
      });
    },
    total(name, sentence, value) {
      new Counter({
        name,
        help: sentence,
        registers: [registry],
        async collect() {
          const total = await askedOf(value);
          // Who cannot be asked has not begun anew: the last answer stands.
          if (Number.isNaN(total)) return;
          this.reset();
          this.inc(total);
        },
      });
    },
    observe(name, seconds, labels = {}) {
      const series = seriesOf(histograms, name, labels, (labelNames) => {
        const help = sentenceOf(name);
        return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
      });
      series.metric.observe(bounded(name, series, labels), seconds);
    },
    text: () => registry.metrics(),
  };
}

/** One broken gauge must not hide all the others from a scrape. */
async function askedOf(value: () => number | Promise<number>): Promise<number> {
  try {
    return await value();
  } catch {
    return Number.NaN;
  }
}

/** `jackfield_sip_requests_total` → `sip requests`: the name says it, the format wants a sentence. */
function sentenceOf(name: string): string {
  return name.replace(/^jackfield_|_total$/g, '').replaceAll('_', ' ');
}
