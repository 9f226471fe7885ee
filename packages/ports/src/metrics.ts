/** Counters, gauges and histograms of the platform, served at /metrics. Names follow Prometheus: `jackfield_<subject>_<unit>_total`. */
export interface Metrics {
  /** Adds to a counter that is created at its first use. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Registers a gauge whose value each scrape reads; a value that rejects reads NaN. */
  gauge(name: string, sentence: string, value: MetricSource): void;
  /** Registers a counter that its source keeps and each scrape reads; it never falls while the process runs. */
  total(name: string, sentence: string, value: MetricSource): void;
  /** Registers a histogram that its source keeps and each scrape reads; a scrape whose read rejects leaves it out. */
  histogram(name: string, sentence: string, value: () => Promise<Histogram>): void;
  /** Observes a value (seconds, unless the name says otherwise) in a histogram that is created at its first use. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Prometheus text exposition format. */
  text(): Promise<string>;
}

/** A number, or one for each value of a label. */
export type MetricSource = (() => number | Promise<number>) | LabelledSource;

/** Values of a metric by one label; the label values should be the same at each scrape. */
export interface LabelledSource {
  readonly label: string;
  values(): Iterable<readonly [labelValue: string, value: number]>;
}

/** How many observations were at most as large as each bound, in rising order of the bounds. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  readonly upTo: readonly { readonly bound: number; readonly count: number }[];
}
