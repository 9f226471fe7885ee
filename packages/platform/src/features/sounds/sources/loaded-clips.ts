import type { MediaClips, SoundClip, StopSignal } from '@jackfield/ports';
import { LineProblem } from './fair-line.ts';
import { createIdleClips, type IdleClips } from './idle-clips.ts';

/** Clips in the media engine, one for all plays of the same sound; a clip without plays is kept for a while. */
export interface LoadedClips {
  /** Makes and loads the clip unless it is there; each taker frees it exactly once. */
  take(key: string, signal: StopSignal, make: (signal: StopSignal) => Promise<SoundClip>): Promise<TakenClip>;
  /** Whether the clip is loaded or on its way: `take` then makes none. */
  has(key: string): boolean;
  census(): { readonly used: number; readonly idle: number; readonly idleBytes: number };
  /** Drops idle clips. */
  clear(): void;
}

export interface TakenClip {
  /** Of the clip in the media engine. */
  readonly name: string;
  readonly durationMs: number;
  free(): void;
}

interface LoadedClip {
  readonly key: string;
  readonly name: string;
  /** Settles when the engine has the clip, or the load failed. */
  readonly ready: Promise<void>;
  readonly stop: AbortController;
  isReady: boolean;
  durationMs: number;
  bytes: number;
  /** Including takers that still wait for it. */
  users: number;
}

export function createLoadedClips(engine: MediaClips, maxIdleBytes: number): LoadedClips {
  const clips = new Map<string, LoadedClip>();
  const idle = createIdleClips<LoadedClip>(maxIdleBytes, (clip) => {
    clips.delete(clip.key);
    engine.dropClip(clip.name);
  });
  let names = 0;

  function forget(clip: LoadedClip): void {
    if (clips.get(clip.key) === clip) clips.delete(clip.key);
  }

  function release(clip: LoadedClip): void {
    if (--clip.users > 0) return;
    if (clip.isReady) {
      idle.add(clip);
      return;
    }
    forget(clip);
    clip.stop.abort();
  }

  function begin(key: string, make: (signal: StopSignal) => Promise<SoundClip>): LoadedClip {
    const stop = new AbortController();
    const made = make(stop.signal);
    const begun: LoadedClip = {
      key,
      name: `sound/${++names}`,
      ready: made.then((clip) => loadInto(engine, idle, begun, clip)),
      stop,
      isReady: false,
      durationMs: 0,
      bytes: 0,
      users: 0,
    };
    clips.set(key, begun);
    begun.ready.catch(() => forget(begun));
    return begun;
  }

  return {
    census: () => ({ used: clips.size - idle.size, idle: idle.size, idleBytes: idle.bytes }),
    clear: idle.clear,
    has: (key) => clips.has(key),
    take(key, signal, make) {
      if (signal.aborted) return Promise.reject(new LineProblem('withdrawn'));
      const clip = clips.get(key) ?? begin(key, make);
      clip.users++;
      idle.remove(clip);
      return whenReady(clip, signal, release);
    },
  };
}

async function loadInto(
  engine: MediaClips,
  idle: IdleClips<LoadedClip>,
  into: LoadedClip,
  clip: SoundClip,
): Promise<void> {
  if (into.stop.signal.aborted) return;
  into.durationMs = (clip.samples.length / clip.sampleRate) * 1_000;
  into.bytes = clip.samples.byteLength;
  try {
    await engine.loadClip(into.name, clip);
  } catch (error) {
    if (idle.size === 0) throw error;
    // The engine is full: a clip in use matters more than idle clips.
    idle.clear();
    await engine.loadClip(into.name, clip);
  }
  if (into.stop.signal.aborted) engine.dropClip(into.name);
  else into.isReady = true;
}

/** Rejects at once when the signal aborts, and releases the clip. */
function whenReady(
  clip: LoadedClip,
  signal: StopSignal,
  release: (clip: LoadedClip) => void,
): Promise<TakenClip> {
  return new Promise((resolve, reject) => {
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      reject(new LineProblem('withdrawn'));
      release(clip);
    };
    signal.addEventListener('abort', leave, { once: true });
    const settle = (how: () => void): void => {
      signal.removeEventListener('abort', leave);
      if (!hasLeft) how();
    };
    clip.ready.then(
      () => settle(() => resolve(takenClip(clip, release))),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

function takenClip(clip: LoadedClip, release: (clip: LoadedClip) => void): TakenClip {
  let isFree = false;
  return {
    name: clip.name,
    durationMs: clip.durationMs,
    free() {
      if (isFree) return;
      isFree = true;
      release(clip);
    },
  };
}
