import type { Config } from '../config.ts';
import { loadSettings } from '../load-settings.ts';
import { explainPostgres } from '../start-failure.ts';
import { explainWriting } from '../write-faults.ts';
import { CommandFailure } from './command.ts';

/** The configuration with which `jackfield start` would start here; throws its mistakes. */
export function storedConfig(): Config {
  const loaded = loadSettings('production');
  if (!loaded.ok) throw new CommandFailure(loaded.problems.map(({ sentence }) => sentence).join('\n'));
  return loaded.config;
}

/** Faults of the databases and files become one sentence; `where` is what was written. */
export async function withSentence<Result>(where: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandFailure || !(error instanceof Error)) throw error;
    const sentence = explainPostgres(error) ?? explainWriting(error, where) ?? error.message;
    throw new CommandFailure(`${sentence}.`.replace(/\.\.$/, '.'));
  }
}
