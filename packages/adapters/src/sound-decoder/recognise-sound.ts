import { isWav } from '@jackfield/media';
import { findFrames, skipId3 } from './mpeg-frames.ts';

/** Bytes of junk that are tolerated before the first frame; players differ, 64 KB is the limit of mpg123. */
const mostJunk = 65_536;

/** Checks only the bytes: names and content types of files on the web are often wrong. */
export function recogniseSound(bytes: Uint8Array): 'wav' | 'mp3' | undefined {
  if (isWav(bytes)) return 'wav';
  const start = skipId3(bytes);
  return findFrames(bytes, start, start + mostJunk) === -1 ? undefined : 'mp3';
}
