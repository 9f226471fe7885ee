import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { explainWriting } from '../write-faults.ts';
import { CommandFailure } from './command.ts';

/** The file of `--pcap`, which its owner alone can read. One of the two ends it. */
export interface CaptureFile {
  /** Replaces what an older file holds. */
  finish(capture: Buffer): void;
  /** An older file stays as it was. */
  discard(): void;
}

/** Throws the sentence where the file cannot be written. */
export function openCaptureFile(path: string): CaptureFile {
  const isNew = !existsSync(path);
  const failure = (error: unknown) =>
    new CommandFailure(`--pcap is "${path}": ${explainWriting(error, path) ?? (error as Error).message}.`);
  let file: number;
  try {
    file = openSync(path, 'a', 0o600);
  } catch (error) {
    throw failure(error);
  }
  return {
    finish(capture) {
      try {
        if (fstatSync(file).isFile()) ftruncateSync(file);
        writeFileSync(file, capture);
      } catch (error) {
        throw failure(error);
      }
      closeSync(file);
    },
    discard() {
      closeSync(file);
      if (isNew) rmSync(path, { force: true });
    },
  };
}
