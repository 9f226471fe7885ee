import type { FileHandle } from 'node:fs/promises';
import {
  longestWavData,
  readWavHeader,
  type WavHeader,
  wavDurationMs,
  wavHeader,
  wavHeaderBytes,
  wavTag,
} from '@jackfield/media';
import type { RecordedFile } from '@jackfield/ports';
import { mp3FrameHeaderBytes, readMp3Frame, silentMp3 } from './mp3-frames.ts';

/** Corrects the header's length of the samples; a file without a whole header becomes a file without samples. */
export async function repairWav(file: FileHandle): Promise<RecordedFile> {
  const { size } = await file.stat();
  const start = Buffer.alloc(wavHeaderBytes);
  const { bytesRead } = await file.read(start, 0, wavHeaderBytes, 0);
  const format = ownHeader(start.subarray(0, bytesRead));
  if (format === undefined) {
    // The format of the bytes is unknown: the recorder writes the header before any samples.
    await file.truncate(0);
    await file.write(wavHeader({ sampleRate: 8000, channels: 1 }, 0), 0, wavHeaderBytes, 0);
    return { durationMs: 0, bytes: wavHeaderBytes };
  }
  const frameBytes = format.channels * 2;
  const dataBytes = Math.floor((size - wavHeaderBytes) / frameBytes) * frameBytes;
  const bytes = wavHeaderBytes + dataBytes;
  if (bytes !== size) await file.truncate(bytes);
  if (format.countedBytes !== Math.min(dataBytes, longestWavData)) {
    await file.write(wavHeader(format, dataBytes), 0, wavHeaderBytes, 0);
  }
  return { durationMs: wavDurationMs(format, dataBytes), bytes };
}

/** A header in the recorder's form; undefined for anything else. */
function ownHeader(bytes: Uint8Array): WavHeader | undefined {
  const header = readWavHeader(bytes);
  if (header.fault !== undefined) return undefined;
  const { start, tag, bits, channels, sampleRate } = header;
  const isOurs = start === wavHeaderBytes && tag === wavTag.pcm && bits === 16;
  return isOurs && channels > 0 && sampleRate > 0 ? header : undefined;
}

/**
 * Removes an incomplete last frame and counts the frames before it; a file without frames becomes silence. Reads the file once, in
 * portions.
 */
export async function repairMp3(file: FileHandle, portionBytes = 256 * 1024): Promise<RecordedFile> {
  const { size } = await file.stat();
  const portion = Buffer.alloc(portionBytes);
  let portionAt = 0;
  let portionLength = 0;
  let at = 0;
  let samples = 0;
  let sampleRate = 8000;
  while (at + mp3FrameHeaderBytes <= size) {
    if (at < portionAt || at + mp3FrameHeaderBytes > portionAt + portionLength) {
      portionAt = at;
      portionLength = (await file.read(portion, 0, portionBytes, at)).bytesRead;
      if (portionLength < mp3FrameHeaderBytes) break;
    }
    const offset = at - portionAt;
    const frame = readMp3Frame(portion[offset]!, portion[offset + 1]!, portion[offset + 2]!);
    if (frame === undefined || at + frame.bytes > size) break;
    at += frame.bytes;
    samples += frame.samples;
    sampleRate = frame.sampleRate;
  }
  if (at !== size) await file.truncate(at);
  if (at === 0) await file.write(silentMp3, 0, silentMp3.length, 0);
  // A process died after it had repaired the file.
  const isSilent = at === silentMp3.length && silentMp3.every((byte, index) => portion[index] === byte);
  if (at === 0 || isSilent) return { durationMs: 0, bytes: silentMp3.length };
  return { durationMs: Math.round((samples * 1000) / sampleRate), bytes: at };
}
