import type { LoggerOptions } from '@jackfield/adapters/logger';

/** More names than fit on a few lines of a terminal are counted: a new database has about a hundred migrations. */
const namedAtMost = 5;

/** A destination of the log for people at a terminal: what is long in a record is said in a few lines. */
export async function readableLines(
  destination: NodeJS.WritableStream = process.stdout,
): Promise<NonNullable<LoggerOptions['destination']>> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    colorize: true,
    sync: true,
    destination,
    customPrettifiers: {
      configuration: (text) => setByOperator(String(text)),
      migrations: (names) =>
        Array.isArray(names) && names.length > namedAtMost ? `${names.length}` : [names].flat().join(', '),
    },
  });
}

/** Of the lines of `describeConfig`, those whose values are not the defaults. */
function setByOperator(configuration: string): string {
  const lines = configuration.split('\n');
  const set = lines.filter((line) => !line.endsWith('  (default)'));
  const rest = `at their defaults: ${lines.length - set.length} more`;
  return [...set, rest].map((line) => `\n  ${line}`).join('');
}
