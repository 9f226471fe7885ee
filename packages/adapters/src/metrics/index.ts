export { createMetrics, type DescribedMetric, type MetricsOptions } from './prometheus-metrics.ts';
