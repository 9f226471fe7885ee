import { open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordingFiles } from '@jackfield/ports';
import { recordingFileName } from './recording-file-name.ts';
import { repairMp3, repairWav } from './repair-recording.ts';

export interface DiskRecordingsOptions {
  readonly directory: string;
  /** Bytes per read. */
  readonly portionBytes?: number;
}

/** Recordings as files of one directory, which is created with the first file. */
export function createDiskRecordings(options: DiskRecordingsOptions): RecordingFiles {
  const { directory, portionBytes = 64 * 1024 } = options;
  const pathOf = (name: string): string => join(directory, recordingFileName(name));

  async function sizeOf(path: string): Promise<number | undefined> {
    const found = await stat(path).catch(absentIsUndefined);
    return found?.isFile() === true ? found.size : undefined;
  }

  return {
    size: async (name) => sizeOf(pathOf(name)),
    async read(name, from, to) {
      const path = pathOf(name);
      const size = await sizeOf(path);
      if (size === undefined || from < 0 || to >= size || from > to) {
        throw new RangeError(`${name} has no bytes ${from} to ${to}`);
      }
      return portions(path, from, to, portionBytes);
    },
    async remove(name) {
      await unlink(pathOf(name)).catch(absentIsUndefined);
    },
    async repair(name, format) {
      const file = await open(pathOf(name), 'r+').catch(absentIsUndefined);
      if (file === undefined) return undefined;
      try {
        const repaired = format === 'wav' ? await repairWav(file) : await repairMp3(file);
        await file.sync();
        return repaired;
      } finally {
        await file.close();
      }
    },
  };
}

/** Opened with the first portion, so that a reader that never begins leaves nothing open. */
async function* portions(
  path: string,
  from: number,
  to: number,
  portionBytes: number,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (let at = from; at <= to; ) {
      const portion = Buffer.allocUnsafe(Math.min(portionBytes, to - at + 1));
      const { bytesRead } = await file.read(portion, 0, portion.length, at);
      if (bytesRead === 0) throw new Error('the file has become shorter');
      yield portion.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function absentIsUndefined(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
  throw error;
}
