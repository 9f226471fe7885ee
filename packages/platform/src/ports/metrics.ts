/** Counters and gauges of the platform, served at /metrics. Names follow Prometheus: `jackfield_<thing>_<unit>_total`. */
export interface Metrics {
  /** Adds to a counter that is created at its first use. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Registers a gauge whose value is asked for at each scrape. */
  gauge(name: string, sentence: string, value: () => number): void;
  /** Observes a duration in seconds in a histogram. */
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
  /** Prometheus text exposition format. */
  text(): Promise<string>;
}
