import type { MediaClips, SoundClip, StopSignal } from '@jackfield/ports';
import { LineProblem } from './fair-line.ts';
import { createIdleClips, type IdleClips } from './idle-clips.ts';

/** Clips in the media engine, one for all plays of the same sound; a clip without plays is kept for a while. */
export interface LoadedClips {
  /** Makes and loads the clip unless it is there; each taker frees it exactly once. */
  take(key: string, signal: StopSignal, make: MakeClip): Promise<TakenClip>;
  /** Whether the clip is loaded or on its way: `take` then makes none. */
  has(key: string): boolean;
  census(): { readonly used: number; readonly idle: number; readonly idleBytes: number };
  /** Drops idle clips. */
  clear(): void;
}

export type MakeClip = (signal: StopSignal) => Promise<SoundClip | GrowingClip>;

/** A clip whose first piece is there; the others follow while it is played. */
export interface GrowingClip {
  readonly first: SoundClip;
  readonly rest: AsyncIterator<SoundClip>;
}

export interface TakenClip {
  /** Of the clip in the media engine. */
  readonly name: string;
  /** Undefined for a clip that still grows. */
  readonly durationMs: number | undefined;
  /** Reports at most once why the rest of a clip that grows does not come; not after `free`. */
  whenBroken(report: (error: unknown) => void): void;
  free(): void;
}

interface LoadedClip {
  readonly key: string;
  readonly name: string;
  /** Settles when the engine has the clip, or the load failed. */
  readonly ready: Promise<void>;
  readonly stop: AbortController;
  isReady: boolean;
  /** Its last piece has not come. */
  isGrowing: boolean;
  /** Why its end is missing: it is not kept for another play. */
  broken: { readonly error: unknown } | undefined;
  /** Of its takers. */
  readonly brokenReports: Set<(error: unknown) => void>;
  durationMs: number;
  bytes: number;
  /** Including takers that still wait for it. */
  users: number;
}

export function createLoadedClips(
  engine: MediaClips,
  maxIdleBytes: number,
  onBroken: (error: unknown) => void = () => {},
): LoadedClips {
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
    if (clip.isReady && (clip.isGrowing || clip.broken !== undefined)) {
      // The rest has no listener, or does not come.
      forget(clip);
      clip.stop.abort();
      engine.dropClip(clip.name);
      return;
    }
    if (clip.isReady) {
      idle.add(clip);
      return;
    }
    forget(clip);
    clip.stop.abort();
  }

  function begin(key: string, make: MakeClip): LoadedClip {
    const stop = new AbortController();
    const made = make(stop.signal);
    const begun: LoadedClip = {
      key,
      name: `sound/${++names}`,
      ready: made.then((clip) =>
        'first' in clip
          ? growInto(engine, idle, begun, clip, (error) => {
              begun.broken = { error };
              forget(begun);
              onBroken(error);
              for (const report of begun.brokenReports) report(error);
            })
          : loadInto(engine, idle, begun, clip),
      ),
      stop,
      isReady: false,
      isGrowing: false,
      broken: undefined,
      brokenReports: new Set(),
      durationMs: 0,
      bytes: 0,
      users: 0,
    };
    clips.set(key, begun);
    begun.ready.catch(() => {
      forget(begun);
      // What did not fit is still being made.
      stop.abort();
    });
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
  await withRoom(idle, () => engine.loadClip(into.name, clip));
  if (into.stop.signal.aborted) engine.dropClip(into.name);
  else into.isReady = true;
}

/** Loads once more without the idle clips when the engine is full: a clip in use matters more. */
async function withRoom(idle: IdleClips<LoadedClip>, load: () => Promise<void>): Promise<void> {
  try {
    await load();
  } catch (error) {
    if (idle.size === 0) throw error;
    idle.clear();
    await load();
  }
}

/** Resolves with the first piece; the others follow. A clip that breaks is complete for its plays, and is made again for the next one. */
async function growInto(
  engine: MediaClips,
  idle: IdleClips<LoadedClip>,
  into: LoadedClip,
  { first, rest }: GrowingClip,
  broken: (error: unknown) => void,
): Promise<void> {
  if (into.stop.signal.aborted) return;
  const count = (piece: SoundClip) => {
    into.durationMs += (piece.samples.length / piece.sampleRate) * 1_000;
    into.bytes += piece.samples.byteLength;
  };
  const add = (piece: SoundClip, isLast: boolean) => {
    count(piece);
    return engine.growClip(into.name, piece, isLast);
  };
  into.isGrowing = true;
  count(first);
  await withRoom(idle, () =>
    engine.growClip(into.name, first, false).catch((error: unknown) => {
      // What did not fit is there, empty and complete.
      engine.dropClip(into.name);
      throw error;
    }),
  );
  if (into.stop.signal.aborted) return engine.dropClip(into.name);
  into.isReady = true;
  void growOn(add, into, first.sampleRate, rest, broken);
}

async function growOn(
  add: (piece: SoundClip, isLast: boolean) => Promise<void>,
  into: LoadedClip,
  sampleRate: number,
  rest: AsyncIterator<SoundClip>,
  broken: (error: unknown) => void,
): Promise<void> {
  try {
    for (;;) {
      const next = await rest.next();
      if (into.stop.signal.aborted) return;
      if (next.done === true) break;
      await add(next.value, false);
    }
  } catch (error) {
    // The plays end with what there is.
    if (!into.stop.signal.aborted) broken(error);
  }
  if (into.stop.signal.aborted) return;
  await add({ sampleRate, samples: new Int16Array(0) }, true).catch(broken);
  into.isGrowing = false;
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
  let reportBroken: ((error: unknown) => void) | undefined;
  return {
    name: clip.name,
    get durationMs() {
      return clip.isGrowing ? undefined : clip.durationMs;
    },
    whenBroken(report) {
      if (isFree) return;
      if (clip.broken !== undefined) return report(clip.broken.error);
      reportBroken = report;
      clip.brokenReports.add(report);
    },
    free() {
      if (isFree) return;
      isFree = true;
      if (reportBroken !== undefined) clip.brokenReports.delete(reportBroken);
      release(clip);
    },
  };
}
