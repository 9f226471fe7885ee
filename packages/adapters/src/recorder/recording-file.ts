import { wavDurationMs, wavHeader, wavHeaderBytes } from '@jackfield/media';
import type { RecordedFile } from '@jackfield/ports';
import type { DiskGate } from './disk-gate.ts';
import type { SoundEncoder, SoundFormat } from './sound-encoder.ts';

/** The required part of a file handle. */
export interface WritableFile {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** One sound file that is being written: accepts samples, and makes the content on disk playable about every second. */
export interface RecordingFile {
  /** Samples of one portion, tracks interleaved. False when the file has failed: the samples are dropped. */
  take(samples: Int16Array, tracks: number, sampleRate: number): boolean;
  /** Writes the rest and syncs. Rejects when the file has failed or fails now. */
  finish(): Promise<RecordedFile>;
  readonly waitingBytes: number;
  readonly writtenBytes: number;
}

export interface RecordingFileOptions {
  readonly file: WritableFile;
  readonly channels: number;
  /** True for a WAV file, which has a header. */
  readonly hasHeader: boolean;
  readonly encoder: SoundEncoder;
  readonly gate: DiskGate;
  readonly maxBytes: number;
  /** Limit for one track at 8 kHz; more tracks and higher rates may wait for the same time. */
  readonly maxWaitingBytes: number;
  /** Called once, when the file breaks; the written content stays. */
  readonly onFailure: (sentence: string) => void;
}

/** Until the first samples show the rate. */
const usualRate = 8000;

/** Writes the header of a new file; rejects when that fails. */
export async function beginRecordingFile(options: RecordingFileOptions): Promise<RecordingFile> {
  const { file, channels, hasHeader, encoder, gate, maxBytes, maxWaitingBytes } = options;
  let format: SoundFormat = { sampleRate: usualRate, channels };
  let isBegun = false;
  let mostWaiting = maxWaitingBytes;
  /** Position of the next bytes. */
  let position = hasHeader ? wavHeaderBytes : 0;
  let frames = 0;
  let framesAtHandOver = 0;
  /** Encoded bytes that are not handed over yet. */
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let failure: string | undefined;

  async function writeAll(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      // A nearly full disk accepts a part, and refuses the next.
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }

  /** Writes the samples first, then the header that counts them: the header is true at every moment. */
  async function writePortion(bytes: Uint8Array): Promise<void> {
    await writeAll(bytes, position);
    position += bytes.length;
    waitingBytes -= bytes.length;
    if (hasHeader) await writeAll(wavHeader(format, position - wavHeaderBytes), 0);
  }

  async function writeWaiting(): Promise<void> {
    while (gatheredBytes > 0 && failure === undefined) {
      const bytes = Buffer.concat(gathered, gatheredBytes);
      gathered = [];
      gatheredBytes = 0;
      framesAtHandOver = frames;
      await gate.pass(() => writePortion(bytes));
    }
  }

  function handOver(): void {
    writing ??= writeWaiting()
      .catch((error: unknown) => fail(sentenceOf(error)))
      .finally(() => {
        writing = undefined;
      });
  }

  function fail(sentence: string): void {
    if (failure !== undefined) return;
    failure = sentence;
    gathered = [];
    gatheredBytes = 0;
    encoder.free();
    // A hanging disk may never finish its last write; no other file waits for it.
    void (async () => {
      await writing;
      waitingBytes = 0;
      await file.close().catch(() => {});
    })();
    options.onFailure(sentence);
  }

  function keep(encoded: Uint8Array): void {
    if (encoded.length === 0) return;
    // The encoder overwrites its bytes with the next portion.
    gathered.push(encoded.slice());
    gatheredBytes += encoded.length;
    waitingBytes += encoded.length;
  }

  if (hasHeader) await gate.pass(() => writeAll(wavHeader(format, 0), 0));

  return {
    take(samples, tracks, sampleRate) {
      if (failure !== undefined) return false;
      try {
        if (!isBegun) {
          isBegun = true;
          format = { sampleRate, channels };
          mostWaiting = maxWaitingBytes * shareOf(format, hasHeader);
          encoder.begin(format);
        }
        if (tracks !== channels || sampleRate !== format.sampleRate || samples.length % channels !== 0) {
          fail(
            `audio of ${tracks} tracks at ${sampleRate} Hz came for ${channels} at ${format.sampleRate} Hz`,
          );
          return false;
        }
        keep(encoder.encode(samples));
      } catch (error) {
        fail(sentenceOf(error));
        return false;
      }
      frames += samples.length / channels;
      if (position + waitingBytes > maxBytes) fail(`the file would be larger than ${maxBytes} bytes`);
      else if (waitingBytes > mostWaiting) fail('the disk does not keep up');
      else if (frames - framesAtHandOver >= sampleRate) handOver();
      return failure === undefined;
    },
    async finish() {
      if (failure === undefined) {
        try {
          keep(encoder.end());
          await writing;
          handOver();
          await writing;
          if (failure === undefined) await gate.pass(() => file.sync());
        } catch (error) {
          fail(sentenceOf(error));
        }
      }
      if (failure !== undefined) throw new Error(failure);
      encoder.free();
      await file.close();
      const durationMs = hasHeader
        ? wavDurationMs(format, position - wavHeaderBytes)
        : Math.round((frames * 1000) / format.sampleRate);
      return { durationMs, bytes: position };
    },
    get waitingBytes() {
      return waitingBytes;
    },
    get writtenBytes() {
      return position;
    },
  };
}

/** Size of plain samples relative to one track at 8 kHz; an encoder makes few bytes at any rate. */
function shareOf({ sampleRate, channels }: SoundFormat, isPlain: boolean): number {
  return isPlain ? Math.max(1, (channels * sampleRate) / usualRate) : 1;
}

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'the directory of recordings may not be written to',
  EPERM: 'the directory of recordings may not be written to',
  ENOENT: 'the directory of recordings is gone',
  ENOTDIR: 'the directory of recordings is no directory',
  EEXIST: 'there is a file of this name already',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk is broken',
};

/** The message for operators and customers: without a path of this machine. */
export function sentenceOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return sentences[code] ?? `the disk refused: ${code}`;
  return error instanceof Error ? error.message : String(error);
}
