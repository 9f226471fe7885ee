/** Clips without a play, up to a limit of bytes; the clip that is idle for longest goes first. */
export interface IdleClips<Clip extends { readonly bytes: number }> {
  add(clip: Clip): void;
  remove(clip: Clip): void;
  /** Drops all. */
  clear(): void;
  readonly size: number;
  readonly bytes: number;
}

export function createIdleClips<Clip extends { readonly bytes: number }>(
  maxBytes: number,
  drop: (clip: Clip) => void,
): IdleClips<Clip> {
  // In the order in which they became idle.
  const idle = new Set<Clip>();
  let bytes = 0;

  function remove(clip: Clip): void {
    if (idle.delete(clip)) bytes -= clip.bytes;
  }

  function shrinkTo(limit: number): void {
    for (const oldest of idle) {
      if (bytes <= limit) return;
      remove(oldest);
      drop(oldest);
    }
  }

  return {
    get size() {
      return idle.size;
    },
    get bytes() {
      return bytes;
    },
    add(clip) {
      idle.add(clip);
      bytes += clip.bytes;
      shrinkTo(maxBytes);
    },
    remove,
    // A clip without samples has no bytes, and goes as well.
    clear: () => shrinkTo(-1),
  };
}
