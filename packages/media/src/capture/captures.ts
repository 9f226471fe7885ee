import { Capture, type LegTaps, type TakeCaptured, type Tap } from './capture.ts';
import { type CapturedLegs, createTapsByLeg } from './taps-by-leg.ts';

/** Captures and taps of legs, by name. Methods that name an unknown capture return false. */
export interface Captures {
  /**
   * Begins a capture or replaces the legs of its tracks; false for another number of tracks, or above a limit. A capture that began in
   * another engine keeps the length of its frames.
   */
  capture(name: string, tracks: readonly CapturedLegs[], frameSamples?: number): boolean;
  /** Emits the samples that it holds and removes the capture without an end: another engine continues it. */
  release(name: string): SavedCapture | undefined;
  /** Continues a released capture; the frames that were missed meanwhile are silent. */
  adopt(name: string, saved: SavedCapture, missedFrames: number): boolean;
  pause(name: string, paused: boolean): boolean;
  /** Emits the last chunk and removes the capture. */
  end(name: string): boolean;
  endAll(): void;
  /**
   * Like `capture`, but emits each frame at once in a reused buffer. For an existing name, replaces the tracks, in any
   * number. False above a limit.
   */
  tap(name: string, tracks: readonly CapturedLegs[], frameSamples: number, take: TakeCaptured): boolean;
  endTap(name: string): void;
  taps(): number;
  /** The taps on a leg, needed when it opens; undefined when no capture names it. */
  tapsOf(leg: string): LegTaps | undefined;
  /** Adds one frame that a tapped leg says or hears, undefined for silence; once in each of its turns. */
  keep(taps: readonly Tap[], frame: Int16Array | undefined): void;
  /** All legs skipped this many frames before this step: captures insert silence, taps see their clock jump. */
  skip(frames: number): void;
  /** Once per step, after the turns of the legs. */
  step(): void;
  size(): number;
}

/** A capture as plain data. */
export interface SavedCapture {
  readonly tracks: readonly CapturedLegs[];
  readonly frameSamples: number;
  readonly isPaused: boolean;
}

/** Sizes, limits, and the callbacks to the engine. */
export interface CapturesDeps {
  readonly phases: number;
  /** Frames of 20 ms in a chunk. */
  readonly chunkFrames: number;
  readonly mostCaptures: number;
  readonly mostTaps: number;
  readonly mostTracks: number;
  /** Maximum number of legs in one track. */
  readonly mostLegs: number;
  readonly take: TakeCaptured;
  /** Sets the taps of a leg; returns whether it is connected. */
  readonly attach: (leg: string, taps: LegTaps | undefined) => boolean;
  /** Frame length of a capture of these legs, for its whole duration. */
  readonly frameSamplesFor: (legs: readonly string[]) => number;
}

/** Creates the captures of an engine, empty. */
export function createCaptures(deps: CapturesDeps): Captures {
  const { attach, frameSamplesFor, mostTracks, mostLegs, ...sizes } = deps;
  const { exchange, tapsOf } = createTapsByLeg(attach);
  const captures = new Map<string, Capture>();
  const taps = new Map<string, Capture>();
  /** All captures and taps, for the frame loop. */
  let running: Capture[] = [];
  const list = (): void => {
    running = [...captures.values(), ...taps.values()];
  };
  const end = (capture: Capture): void => {
    exchange(capture, []);
    captures.delete(capture.name);
    list();
    capture.finish();
  };

  const begin: Captures['capture'] = (name, tracks, given) => {
    if (isTooMuch(tracks, mostTracks, mostLegs)) return false;
    let capture = captures.get(name);
    if (capture === undefined) {
      if (captures.size >= deps.mostCaptures) return false;
      const frameSamples = given ?? frameSamplesFor(tracks.flatMap(({ said, heard }) => [...said, ...heard]));
      capture = new Capture({ ...sizes, frameSamples, name, tracks: tracks.length });
      captures.set(name, capture);
      list();
    } else if (capture.tracks !== tracks.length) return false;
    capture.legs = tracks;
    exchange(capture, tracks);
    return true;
  };

  return {
    capture: begin,
    ...continuations(captures, begin, (capture) => {
      exchange(capture, []);
      captures.delete(capture.name);
      list();
    }),
    pause(name, paused) {
      captures.get(name)?.pause(paused);
      return captures.has(name);
    },
    end(name) {
      const capture = captures.get(name);
      if (capture !== undefined) end(capture);
      return capture !== undefined;
    },
    endAll() {
      for (const capture of [...captures.values()]) end(capture);
    },
    tap(name, tracks, frameSamples, take) {
      // A tap may have one track per member of a room.
      if (isTooMuch(tracks, mostLegs, mostLegs)) return false;
      let tap = taps.get(name);
      if (tap === undefined) {
        if (taps.size >= deps.mostTaps) return false;
        const { length } = tracks;
        tap = new Capture({
          ...sizes,
          frameSamples,
          name,
          tracks: length,
          chunkFrames: 1,
          reuses: true,
          take,
        });
        taps.set(name, tap);
        list();
      }
      tap.divide(tracks.length);
      exchange(tap, tracks);
      return true;
    },
    endTap(name) {
      const tap = taps.get(name);
      if (tap === undefined) return;
      exchange(tap, []);
      taps.delete(name);
      list();
    },
    taps: () => taps.size,
    tapsOf,
    keep(taps, frame) {
      for (let t = 0; t < taps.length; t++) {
        const tap = taps[t]!;
        tap.capture.put(tap, frame);
      }
    },
    skip(frames) {
      for (const capture of captures.values()) capture.skip(frames);
    },
    step() {
      for (let c = 0; c < running.length; c++) running[c]!.step();
    },
    size: () => captures.size,
  };
}

/** Moves captures to another engine, and continues those of another engine. */
function continuations(
  captures: ReadonlyMap<string, Capture>,
  begin: Captures['capture'],
  remove: (capture: Capture) => void,
): Pick<Captures, 'release' | 'adopt'> {
  return {
    release(name) {
      const capture = captures.get(name);
      if (capture === undefined) return undefined;
      const { legs: tracks, frameSamples, isPaused } = capture;
      remove(capture);
      capture.pass();
      return { tracks, frameSamples, isPaused };
    },
    adopt(name, { tracks, frameSamples, isPaused }, missedFrames) {
      if (!begin(name, tracks, frameSamples)) return false;
      const capture = captures.get(name)!;
      if (isPaused) capture.pause(true);
      else capture.skip(missedFrames);
      return true;
    },
  };
}

function isTooMuch(tracks: readonly CapturedLegs[], mostTracks: number, mostLegs: number): boolean {
  const { length } = tracks;
  if (length === 0 || length > mostTracks) return true;
  return tracks.some(({ said, heard }) => said.length + heard.length > mostLegs);
}
