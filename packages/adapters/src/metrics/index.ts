export { createMetrics, type MetricsOptions } from './prometheus-metrics.ts';
