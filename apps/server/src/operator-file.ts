import { readFileSync } from 'node:fs';
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

/** Stops the start with a sentence for each mistake in a file. */
export function refuseFile(variable: string, path: string, problems: readonly string[]): never {
  throw new StartFailure(problems.map((problem) => `${variable}: ${path}: ${problem}`).join('\n'), undefined);
}
