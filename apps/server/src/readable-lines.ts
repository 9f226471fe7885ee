import type { LoggerOptions } from '@jackfield/adapters/logger';
import { describeConfig } from './config.ts';
import type { ConfigLine } from './config-reader.ts';

/** More names than fit on a few lines of a terminal are counted: a new database has about a hundred migrations. */
const namedAtMost = 5;

/**
 * A destination of the log for people at a terminal: long fields of a record take a few lines. In place of all variables it shows those `inForce`
 * that have other values than their defaults.
 */
export async function readableLines(
  inForce: readonly ConfigLine[],
  destination: NodeJS.WritableStream = process.stdout,
): Promise<NonNullable<LoggerOptions['destination']>> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    colorize: true,
    sync: true,
    destination,
    customPrettifiers: {
      configuration: () => setByOperator(inForce),
      migrations: (names) =>
        Array.isArray(names) && names.length > namedAtMost ? `${names.length}` : [names].flat().join(', '),
    },
  });
}

function setByOperator(inForce: readonly ConfigLine[]): string {
  const set = inForce.filter(({ from }) => from !== 'default');
  const lines = set.length === 0 ? [] : describeConfig(set).split('\n');
  const rest = `at their defaults: ${inForce.length - set.length} more`;
  return [...lines, rest].map((line) => `\n  ${line}`).join('');
}
