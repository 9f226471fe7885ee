import type { MediaClips, SoundClip, StopSignal } from '@jackfield/ports';
import { LineProblem } from './fair-line.ts';

/** Clips in the media engine: loaded once for all who play the same, kept for a while when nobody does. */
export interface LoadedClips {
  /** Makes and loads it unless it is there; whoever takes one frees it exactly once. */
  take(key: string, signal: StopSignal, make: (signal: StopSignal) => Promise<SoundClip>): Promise<TakenClip>;
  census(): { readonly used: number; readonly idle: number; readonly idleBytes: number };
  /** Drops what nobody uses. */
  clear(): void;
}

export interface TakenClip {
  /** Under which the media engine knows it. */
  readonly name: string;
  readonly durationMs: number;
  free(): void;
}

interface LoadedClip {
  readonly key: string;
  readonly name: string;
  /** Settles when the engine has it, or will not. */
  readonly ready: Promise<void>;
  readonly stop: AbortController;
  /** Once it is loaded. */
  isReady: boolean;
  durationMs: number;
  bytes: number;
  /** Those who wait for it included. */
  users: number;
}

export function createLoadedClips(engine: MediaClips, maxIdleBytes: number): LoadedClips {
  const clips = new Map<string, LoadedClip>();
  // The one that has been idle for longest comes first.
  const idle = new Set<LoadedClip>();
  let idleBytes = 0;
  let names = 0;

  function drop(clip: LoadedClip): void {
    idle.delete(clip);
    idleBytes -= clip.bytes;
    clips.delete(clip.key);
    engine.dropClip(clip.name);
  }

  function clear(): void {
    for (const clip of idle) drop(clip);
  }

  function hold(clip: LoadedClip): void {
    clip.users++;
    if (idle.delete(clip)) idleBytes -= clip.bytes;
  }

  function release(clip: LoadedClip): void {
    if (--clip.users > 0) return;
    if (!clip.isReady) {
      forget(clip);
      clip.stop.abort();
      return;
    }
    idle.add(clip);
    idleBytes += clip.bytes;
    for (const oldest of idle) {
      if (idleBytes <= maxIdleBytes) return;
      drop(oldest);
    }
  }

  function forget(clip: LoadedClip): void {
    if (clips.get(clip.key) === clip) clips.delete(clip.key);
  }

  function begin(key: string, make: (signal: StopSignal) => Promise<SoundClip>): LoadedClip {
    const stop = new AbortController();
    const name = `sound/${++names}`;
    const made = make(stop.signal);
    const begun: LoadedClip = {
      key,
      name,
      ready: made.then((clip) => load(begun, clip)),
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

  async function load(into: LoadedClip, clip: SoundClip): Promise<void> {
    if (into.stop.signal.aborted) return;
    into.durationMs = (clip.samples.length / clip.sampleRate) * 1_000;
    into.bytes = clip.samples.byteLength;
    try {
      await engine.loadClip(into.name, clip);
    } catch (error) {
      if (idle.size === 0) throw error;
      // The engine keeps no more: what is in use goes before what might be used again.
      clear();
      await engine.loadClip(into.name, clip);
    }
    if (into.stop.signal.aborted) engine.dropClip(into.name);
    else into.isReady = true;
  }

  function taken(clip: LoadedClip): TakenClip {
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

  return {
    census: () => ({ used: clips.size - idle.size, idle: idle.size, idleBytes }),
    clear,
    take(key, signal, make) {
      if (signal.aborted) return Promise.reject(new LineProblem('withdrawn'));
      const clip = clips.get(key) ?? begin(key, make);
      hold(clip);
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
          () => settle(() => resolve(taken(clip))),
          (error: unknown) => settle(() => reject(error)),
        );
      });
    },
  };
}
