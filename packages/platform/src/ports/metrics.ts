/** Counters and gauges of the platform, served at /metrics. Names follow Prometheus: `jackfield_<thing>_<unit>_total`. */
export interface Metrics {
  /** Adds to a counter that is created at its first use. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Registers a gauge whose value is asked for at each scrape; one that rejects reads NaN. */
  gauge(name: string, sentence: string, value: () => number | Promise<number>): void;
  /** Registers a counter that somebody else keeps, asked for at each scrape; it never falls while the process lives. */
  total(name: string, sentence: string, value: () => number | Promise<number>): void;
  /** Observes a duration in seconds in a histogram. */
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
  /** Prometheus text exposition format. */
  text(): Promise<string>;
}
