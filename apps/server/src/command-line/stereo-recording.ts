import type { WavSink } from './wav-sinks.ts';

/** Both sides of a call, as they are heard at the same time. */
const sides = ['inbound', 'outbound'] as const;
type Side = (typeof sides)[number];

const bytesPerFrame = 4;
const headerBytes = 44;
/** A side that lags by more is taken to be silent: a call on hold may send nothing. */
const longestLagMs = 400;
/** The size where the end is not known when the header is written, as in a pipe. */
const unknownSize = 0xffff_ffff;

export interface Written {
  readonly seconds: number;
  /** Why the rest could not be written. */
  readonly fault?: unknown;
}

export interface StereoRecording {
  /** Samples of one side, said at `timestamp` (ms on the clock of both sides). */
  add(track: string, timestamp: number, samples: Int16Array): void;
  /** Writes what is left, completes the header, and resolves with the seconds that were written. A write that fails leaves what was written before, complete. */
  close(): Promise<Written>;
}

/**
 * A WAV file with what the phone says on the left and what it hears on the right. Until it is complete its header says that the end is
 * unknown.
 */
export function createStereoRecording(
  sink: WavSink,
  sampleRate: number,
  /** A write has failed: more samples are of no use. */
  onFault: () => void = () => {},
): StereoRecording {
  let begin: number | undefined;
  /** Frames that are written: positions in front of it are closed. */
  let written = 0;
  /** The frames behind `written`, both sides interleaved. */
  let waiting = new Int16Array(sampleRate * 2);
  const ends: Record<Side, number> = { inbound: 0, outbound: 0 };

  /** After a fault nothing more is written: the file has no gap. */
  let fault: unknown;

  function put(bytes: Buffer): boolean {
    try {
      sink.write(bytes);
      return true;
    } catch (error) {
      fault = error;
      onFault();
      return false;
    }
  }

  put(wavHeader(sampleRate, unknownSize - headerBytes));

  function write(until: number): void {
    const frames = until - written;
    if (frames <= 0 || fault !== undefined) return;
    const bytes = Buffer.alloc(frames * bytesPerFrame);
    for (let at = 0; at < frames * 2; at++) bytes.writeInt16LE(waiting[at] ?? 0, at * 2);
    if (!put(bytes)) return;
    waiting.copyWithin(0, frames * 2);
    waiting.fill(0, Math.max(0, waiting.length - frames * 2));
    written = until;
  }

  function reserve(frames: number): void {
    if (frames * 2 <= waiting.length) return;
    const larger = new Int16Array(frames * 4);
    larger.set(waiting);
    waiting = larger;
  }

  return {
    add(track, timestamp, samples) {
      if (fault !== undefined) return;
      const side = sides.indexOf(track as Side);
      if (side < 0) return;
      begin ??= timestamp;
      const first = Math.round(((timestamp - begin) * sampleRate) / 1000);
      const end = first + samples.length;
      reserve(end - written);
      for (const [index, sample] of samples.entries()) {
        const at = first + index - written;
        if (at >= 0) waiting[at * 2 + side] = sample;
      }
      ends[track as Side] = Math.max(ends[track as Side], end);
      const { inbound, outbound } = ends;
      const lag = Math.round((longestLagMs * sampleRate) / 1000);
      write(Math.max(Math.min(inbound, outbound), Math.max(inbound, outbound) - lag));
    },
    async close() {
      write(Math.max(ends.inbound, ends.outbound));
      await sink.finish(wavHeader(sampleRate, written * bytesPerFrame));
      const seconds = written / sampleRate;
      return fault === undefined ? { seconds } : { seconds, fault };
    },
  };
}

/** RIFF header of 16-bit stereo samples. */
function wavHeader(sampleRate: number, dataBytes: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(Math.min(dataBytes + headerBytes - 8, unknownSize), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerFrame, 28);
  header.writeUInt16LE(bytesPerFrame, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
