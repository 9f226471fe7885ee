import { wavDurationMs, wavHeader, wavHeaderBytes } from '@jackfield/media';
import type { RecordedFile, RecordingFailure } from '@jackfield/ports';
import type { DiskGate } from './disk-gate.ts';
import { failureOf, RecordingError } from './recording-error.ts';
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
  readonly onFailure: (failure: RecordingFailure) => void;
}

/** Until the first samples show the rate. */
const usualRate = 8000;

/** Writes the header of a new file; rejects when that fails. */
export async function beginRecordingFile(options: RecordingFileOptions): Promise<RecordingFile> {
  const file = new GrowingFile(options);
  await file.begin();
  return file;
}

class GrowingFile implements RecordingFile {
  readonly #options: RecordingFileOptions;
  #format: SoundFormat;
  #isBegun = false;
  #mostWaiting: number;
  /** Position of the next bytes. */
  #position: number;
  #frames = 0;
  #framesAtHandOver = 0;
  /** Encoded bytes that were not yet passed to the disk. */
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #failure: RecordingFailure | undefined;

  constructor(options: RecordingFileOptions) {
    this.#options = options;
    this.#format = { sampleRate: usualRate, channels: options.channels };
    this.#mostWaiting = options.maxWaitingBytes;
    this.#position = options.hasHeader ? wavHeaderBytes : 0;
  }

  async begin(): Promise<void> {
    const { hasHeader, gate } = this.#options;
    if (hasHeader) await gate.pass(() => this.#writeAll(wavHeader(this.#format, 0), 0));
  }

  take(samples: Int16Array, tracks: number, sampleRate: number): boolean {
    if (this.#failure !== undefined) return false;
    try {
      this.#encode(samples, tracks, sampleRate);
    } catch (error) {
      this.#fail(error);
      return false;
    }
    const { channels, maxBytes } = this.#options;
    this.#frames += samples.length / channels;
    if (this.#position + this.#waitingBytes > maxBytes) {
      this.#fail(new RecordingError('file-too-large', `the file would be larger than ${maxBytes} bytes`));
    } else if (this.#waitingBytes > this.#mostWaiting) {
      this.#fail(new RecordingError('disk-slow', 'the disk does not keep up'));
    } else if (this.#frames - this.#framesAtHandOver >= sampleRate) this.#handOver();
    return this.#failure === undefined;
  }

  async finish(): Promise<RecordedFile> {
    const { encoder, gate, file, hasHeader } = this.#options;
    if (this.#failure === undefined) {
      try {
        this.#keep(encoder.end());
        await this.#writing;
        this.#handOver();
        await this.#writing;
        if (this.#failure === undefined) await gate.pass(() => file.sync());
      } catch (error) {
        this.#fail(error);
      }
    }
    const failure = this.#failure;
    if (failure !== undefined) throw new RecordingError(failure.code, failure.sentence);
    encoder.free();
    await file.close();
    const durationMs = hasHeader
      ? wavDurationMs(this.#format, this.#position - wavHeaderBytes)
      : Math.round((this.#frames * 1000) / this.#format.sampleRate);
    return { durationMs, bytes: this.#position };
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get writtenBytes(): number {
    return this.#position;
  }

  #encode(samples: Int16Array, tracks: number, sampleRate: number): void {
    const { channels, hasHeader, encoder, maxWaitingBytes } = this.#options;
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#format = { sampleRate, channels };
      this.#mostWaiting = maxWaitingBytes * shareOf(this.#format, hasHeader);
      encoder.begin(this.#format);
    }
    const expected = this.#format.sampleRate;
    if (tracks !== channels || sampleRate !== expected || samples.length % channels !== 0) {
      const sentence = `audio of ${tracks} tracks at ${sampleRate} Hz came for ${channels} at ${expected} Hz`;
      throw new RecordingError('internal', sentence);
    }
    this.#keep(encoder.encode(samples));
  }

  #keep(encoded: Uint8Array): void {
    if (encoded.length === 0) return;
    // The encoder overwrites its bytes with the next portion.
    this.#gathered.push(encoded.slice());
    this.#gatheredBytes += encoded.length;
    this.#waitingBytes += encoded.length;
  }

  #handOver(): void {
    this.#writing ??= this.#writeWaiting()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #writeWaiting(): Promise<void> {
    while (this.#gatheredBytes > 0 && this.#failure === undefined) {
      const bytes = Buffer.concat(this.#gathered, this.#gatheredBytes);
      this.#gathered = [];
      this.#gatheredBytes = 0;
      this.#framesAtHandOver = this.#frames;
      await this.#options.gate.pass(() => this.#writePortion(bytes));
    }
  }

  /** Writes the samples first, then the header that counts them: the header is true at every moment. */
  async #writePortion(bytes: Uint8Array): Promise<void> {
    await this.#writeAll(bytes, this.#position);
    this.#position += bytes.length;
    this.#waitingBytes -= bytes.length;
    if (!this.#options.hasHeader) return;
    await this.#writeAll(wavHeader(this.#format, this.#position - wavHeaderBytes), 0);
  }

  async #writeAll(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      // A nearly full disk accepts a part, and refuses the next.
      const { bytesWritten } = await this.#options.file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = failureOf(error);
    const { encoder, file, onFailure } = this.#options;
    this.#failure = failure;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    encoder.free();
    // A hanging disk may never finish its last write; no other file waits for it.
    void (async () => {
      await this.#writing;
      this.#waitingBytes = 0;
      await file.close().catch(() => {});
    })();
    onFailure(failure);
  }
}

/** Size of plain samples relative to one track at 8 kHz; an encoder makes few bytes at any rate. */
function shareOf({ sampleRate, channels }: SoundFormat, isPlain: boolean): number {
  return isPlain ? Math.max(1, (channels * sampleRate) / usualRate) : 1;
}
