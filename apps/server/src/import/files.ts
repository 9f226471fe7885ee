import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { CommandFailure } from '../command-line/command.ts';

export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`file is "${path}": it cannot be read (${(error as Error).message}).`);
  }
}

/** A new file that its owner alone can read. */
export interface SecretFile {
  write(text: string): void;
  remove(): void;
}

/** Creates the file; an existing file is refused, because it may be readable by others. */
export function createSecretFile(option: string, path: string): SecretFile {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'EEXIST'
        ? `${option} is "${path}", which exists: name a new file.`
        : `${option} is "${path}", which cannot be written (${message}): name a file in a directory of yours.`,
    );
  }
  return {
    write(text) {
      writeSync(file, text);
      closeSync(file);
    },
    remove: () => unlinkSync(path),
  };
}
