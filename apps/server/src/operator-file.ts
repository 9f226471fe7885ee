import { readFileSync } from 'node:fs';
import { withLines } from '@jackfield/platform';
import { StartFailure } from './start-failure.ts';

/** Text of the file that `variable` names; throws a StartFailure when it cannot be read. */
export function readOperatorFile(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new StartFailure(`${variable}: the file ${path} ${reason}`, error);
  }
}

/** Stops the start with a sentence for each mistake in a file of JSON, with its line. */
export function refuseFile(variable: string, path: string, text: string, problems: readonly string[]): never {
  const sentences = withLines(text, problems).map((problem) => `${variable}: ${path}: ${problem}`);
  throw new StartFailure(sentences.join('\n'), undefined);
}
