import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricsPage, metricsText } from './support/metrics-page.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** Writes the table of all metrics of docs/reference/metrics.md from a server that it starts. */
const platform = await PlatformProcess.start();
try {
  const file = join(import.meta.dirname, '..', metricsPage);
  writeFileSync(file, metricsText(readFileSync(file, 'utf8'), await platform.scrape()));
  process.stdout.write(`The table of ${metricsPage} is written.\n`);
} finally {
  await platform.stop();
}
