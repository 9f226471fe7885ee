import type { FileHandle } from 'node:fs/promises';
import type { RecordedFile } from '@jackfield/platform';
import { mp3FrameHeaderBytes, readMp3Frame, silentMp3 } from './mp3-frames.ts';
import { longestWavData, readWavHeader, wavDurationMs, wavHeader, wavHeaderBytes } from './wav-format.ts';

/** Makes the header count what follows it; a file without a whole header becomes one without samples. */
export async function repairWav(file: FileHandle): Promise<RecordedFile> {
  const { size } = await file.stat();
  const start = Buffer.alloc(wavHeaderBytes);
  const { bytesRead } = await file.read(start, 0, wavHeaderBytes, 0);
  const format = readWavHeader(start.subarray(0, bytesRead));
  if (format === undefined) {
    // Nothing tells what the bytes are: none of ours was written before the header.
    await file.truncate(0);
    await file.write(wavHeader({ sampleRate: 8000, channels: 1 }, 0), 0, wavHeaderBytes, 0);
    return { durationMs: 0, bytes: wavHeaderBytes };
  }
  const frameBytes = format.channels * 2;
  const dataBytes = Math.floor((size - wavHeaderBytes) / frameBytes) * frameBytes;
  const bytes = wavHeaderBytes + dataBytes;
  if (bytes !== size) await file.truncate(bytes);
  if (format.dataBytes !== Math.min(dataBytes, longestWavData)) {
    await file.write(wavHeader(format, dataBytes), 0, wavHeaderBytes, 0);
  }
  return { durationMs: wavDurationMs(format, dataBytes), bytes };
}

/**
 * Cuts a frame that was not written to its end, and counts those before it; a file without one becomes silence. Reads the file
 * once, in portions.
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
  // A process that died after it had repaired the file.
  const isSilent = at === silentMp3.length && silentMp3.every((byte, index) => portion[index] === byte);
  if (at === 0 || isSilent) return { durationMs: 0, bytes: silentMp3.length };
  return { durationMs: Math.round((samples * 1000) / sampleRate), bytes: at };
}
