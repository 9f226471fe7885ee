/** From the root of the repository. */
export const metricsPage = 'docs/reference/metrics.md';

const heading = '| metric | type | meaning |\n|---|---|---|\n';

/** The page with a row for each metric of the platform in this scrape, in place of its last table. */
export function metricsText(page: string, scraped: string): string {
  const begin = page.lastIndexOf(heading);
  if (begin === -1) throw new Error(`${metricsPage} has no table of all metrics.`);
  const rows = [...scraped.matchAll(/^# HELP (jackfield_\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, sentence, type]) => `| \`${name}\` | ${type} | ${sentence} |\n`,
  );
  return page.slice(0, begin) + heading + rows.toSorted().join('');
}
