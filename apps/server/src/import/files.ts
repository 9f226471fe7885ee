import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { CommandFailure } from '../command-line/command.ts';
import { whyUnread } from '../read-faults.ts';
import { explainWriting } from '../write-faults.ts';

export function readTextFile(path: string): string {
  try {
    // PowerShell begins a file with a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new CommandFailure(
      `file is "${path}", which ${whyUnread(error)}: name a file of JSON, as the lists of the API show its objects.`,
    );
  }
}

/** A new file that its owner alone can read. */
export interface SecretFile {
  write(text: string): void;
  remove(): void;
}

/** An existing file may be readable by others. */
export function refuseExisting(option: string, path: string): void {
  if (existsSync(path)) throw new CommandFailure(`${option} is "${path}", which exists: name a new file.`);
}

/** Creates the file; `failed` is called before a failure. */
export function createSecretFile(option: string, path: string, failed: () => void): SecretFile {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    failed();
    throw new CommandFailure(
      `${option} is "${path}", which cannot be written (${explainWriting(error, path) ?? (error as Error).message}): name a file in a directory that you may write to.`,
    );
  }
  return {
    write(text) {
      try {
        writeFileSync(file, text, { flush: true });
      } catch (error) {
        throw new CommandFailure(
          `${option} is "${path}": ${explainWriting(error, path) ?? (error as Error).message}.`,
        );
      } finally {
        closeSync(file);
      }
    },
    remove: () => unlinkSync(path),
  };
}
