import type { SoundClip } from '@jackfield/ports';

/** Clips by key, pending ones included, so that equal requests share the work; the least recently used clips are evicted first. */
export interface ClipCache {
  get(key: string, make: () => Promise<SoundClip>): Promise<SoundClip>;
  /** Bytes of the samples kept. */
  size(): number;
}

export function createClipCache(maxBytes: number): ClipCache {
  const clips = new Map<string, { readonly clip: Promise<SoundClip>; bytes: number }>();
  let total = 0;

  const evict = () => {
    for (const [key, entry] of clips) {
      if (total <= maxBytes) return;
      if (entry.bytes === 0) continue;
      clips.delete(key);
      total -= entry.bytes;
    }
  };

  return {
    size: () => total,
    get(key, make) {
      const known = clips.get(key);
      if (known !== undefined) {
        clips.delete(key);
        clips.set(key, known);
        return known.clip;
      }
      const entry = { clip: make(), bytes: 0 };
      clips.set(key, entry);
      entry.clip.then(
        (made) => {
          entry.bytes = made.samples.byteLength;
          total += entry.bytes;
          evict();
        },
        () => clips.delete(key),
      );
      return entry.clip;
    },
  };
}
