import { isWav } from '@jackfield/media';
import { findFrames, skipId3 } from './mpeg-frames.ts';

/** Junk that is tolerated in front of the first frame; players differ, 64 KB is what mpg123 allows. */
const mostJunk = 65_536;

/** By its bytes alone: names and content types of files on the web are wrong too often. */
export function recogniseSound(bytes: Uint8Array): 'wav' | 'mp3' | undefined {
  if (isWav(bytes)) return 'wav';
  const start = skipId3(bytes);
  return findFrames(bytes, start, start + mostJunk) === -1 ? undefined : 'mp3';
}
