import { findFrames, skipId3 } from './mpeg-frames.ts';

/** Junk that is tolerated in front of the first frame; players differ, 64 KB is what mpg123 allows. */
const mostJunk = 65_536;

/** By its bytes alone: names and content types of files on the web are wrong too often. */
export function recogniseSound(bytes: Uint8Array): 'wav' | 'mp3' | undefined {
  const mark = textAt(bytes, 0);
  // RF64 (EBU Tech 3306) is what writers of endless files begin with; what is below 4 GB reads like RIFF.
  if ((mark === 'RIFF' || mark === 'RF64') && textAt(bytes, 8) === 'WAVE') return 'wav';
  const start = skipId3(bytes);
  return findFrames(bytes, start, start + mostJunk) === -1 ? undefined : 'mp3';
}

/** Four bytes as the text that marks files and chunks. */
export function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
