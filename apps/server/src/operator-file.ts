import { readFileSync } from 'node:fs';
import { withLines } from '@jackfield/platform/json-lines';
import { whyUnread } from './read-faults.ts';
import { StartFailure } from './start-failure.ts';

/** Text of the file that `variable` names; throws a StartFailure when it cannot be read. */
export function readOperatorFile(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartFailure(`${variable}: the file ${path} ${whyUnread(error)}`, error);
  }
}

/** Stops the start with a sentence for each mistake in a file of JSON, with its line. */
export function refuseFile(variable: string, path: string, text: string, problems: readonly string[]): never {
  const sentences = withLines(text, problems).map((problem) => `${variable}: ${path}: ${problem}`);
  throw new StartFailure(sentences.join('\n'), undefined);
}
