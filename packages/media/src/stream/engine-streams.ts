import type { Captures } from '../capture/captures.ts';
import type { CapturedLegs } from '../capture/taps-by-leg.ts';
import type { Source } from '../mix/source.ts';
import { StreamSource } from './stream-source.ts';
import type { StreamSources } from './stream-sources.ts';

/**
 * Live audio of legs to and from programs in the engine's thread. Names are those of the programs' streams. A leg that
 * is not open is silent and hears nothing.
 */
export interface EngineStreams {
  /**
   * Emits what these legs say and hear, 20 ms at a time and without a gap, silent tracks included. The same name
   * replaces the tracks from the next frame on; the rate stays. False above a limit.
   */
  tap(name: string, order: TapOrder): boolean;
  endTap(name: string): void;
  /** Emits each key of these legs once. The same name replaces the legs; no legs end the watch. */
  watchKeys(name: string, legs: readonly string[], pressed: KeyListener): void;
  /**
   * Handles a key from signalling (SIP INFO) and emits it to the leg's watches. The same key may also arrive as an RFC
   * 4733 event.
   */
  signalKey(leg: string, digit: string, durationMs: number): void;
  /**
   * Opens a stream source for legs, members of a mix or not; undefined when the name is in use or the limit is reached.
   */
  openStreamSource(name: string, order: StreamSourceOrder): OpenedStreamSource | undefined;
  /**
   * Opens a leg without a phone that can be a member of mixes: it says the audio of its stream source, and closes with it.
   * Undefined when the name is in use or the limit is reached; throws a RangeError for an unsupported rate.
   */
  openVirtualLeg(name: string, order: VirtualLegOrder): OpenedStreamSource | undefined;
  /** Sends RFC 4733 events to these legs, see the command `send-digits`; the reason of the first phone that did not take them. */
  pressKeys(legs: readonly string[], digits: string): PressedKeys;
  census(): { readonly taps: number; readonly streamSources: number };
}

/** What became of keys for a phone: too many wait already, or no events were agreed on. */
export type PressedKeys = 'taken' | 'queue-full' | 'no-events';

/** Receives a key: one of `0-9*#ABCD`, its duration, and whether it was an RFC 4733 event or in signalling. */
export type KeyListener = (leg: string, digit: string, durationMs: number, as: 'event' | 'info') => void;

/** What to tap, at which rate (Hz, a multiple of 50 samples), and the receiver. */
export interface TapOrder {
  readonly sampleRate: number;
  readonly tracks: readonly CapturedLegs[];
  /** 16-bit samples of 20 ms, interleaved by track; valid during the call only. */
  readonly take: (samples: Int16Array, tracks: number) => void;
}

/** Listeners of a stream source, and the receiver of its marks. */
export interface StreamSourceOrder {
  readonly to: readonly string[];
  /** Maximum queued audio; default 60,000. */
  readonly mostMs?: number;
  readonly played: (mark: string) => void;
}

/** A leg for a program. */
export interface VirtualLegOrder {
  readonly leg: string;
  /** Rate at which it speaks and hears: 8000, 16000, 24000 or 48000. */
  readonly sampleRate: number;
  readonly mostMs?: number;
  readonly played: (mark: string) => void;
}

/** The operations on a stream source. */
export interface OpenedStreamSource
  extends Pick<StreamSource, 'put' | 'mark' | 'clear' | 'pause' | 'queuedMs' | 'mostMs' | 'playedMs'> {
  /** Replaces the listeners; no effect for a virtual leg. */
  replay(to: readonly string[]): void;
  close(): void;
}

/** What streams need from their engine. */
export interface EngineStreamsDeps {
  readonly captures: Captures;
  readonly streamSources: StreamSources;
  readonly createSource: (frameSamples: number) => Source;
  readonly mostStreamSources: number;
  readonly openVirtualLeg: (leg: string, streamSource: StreamSource) => boolean;
  readonly closeLeg: (leg: string) => void;
  /** Undefined for a leg without a phone. */
  readonly pressKeys: (leg: string, digits: string) => PressedKeys | undefined;
}

/** Streams of one engine, with the input for keys. */
export interface StreamsOfEngine extends EngineStreams {
  emitKey: KeyListener;
}

interface KeyWatch {
  readonly legs: readonly string[];
  readonly pressed: KeyListener;
}

/** Creates the streams of an engine, none open. */
export function createEngineStreams(deps: EngineStreamsDeps): StreamsOfEngine {
  const { captures, streamSources, createSource, mostStreamSources } = deps;
  const watches = new Map<string, KeyWatch>();
  const watchesOf = new Map<string, Set<KeyWatch>>();
  let virtual = 0;

  const handle = (
    streamSource: StreamSource,
    replay: (to: readonly string[]) => void,
    close: () => void,
  ): OpenedStreamSource => ({
    put: (samples, rate) => streamSource.put(samples, rate),
    mark: (name) => streamSource.mark(name),
    clear: () => streamSource.clear(),
    pause: (paused) => streamSource.pause(paused),
    get queuedMs() {
      return streamSource.queuedMs;
    },
    mostMs: streamSource.mostMs,
    get playedMs() {
      return streamSource.playedMs;
    },
    replay,
    close,
  });

  const emitKey: KeyListener = (leg, digit, durationMs, as) => {
    const watching = watchesOf.get(leg);
    if (watching === undefined) return;
    for (const { pressed } of [...watching]) pressed(leg, digit, durationMs, as);
  };

  return {
    emitKey,
    signalKey: (leg, digit, durationMs) => emitKey(leg, digit, durationMs, 'info'),
    tap: (name, { sampleRate, tracks, take }) =>
      captures.tap(name, tracks, sampleRate / 50, (_name, count, samples) => {
        if (samples.length > 0) take(samples, count);
      }),
    endTap: (name) => captures.endTap(name),
    watchKeys(name, legs, pressed) {
      const former = watches.get(name);
      for (const leg of former?.legs ?? []) {
        const set = watchesOf.get(leg);
        set?.delete(former!);
        if (set?.size === 0) watchesOf.delete(leg);
      }
      watches.delete(name);
      if (legs.length === 0) return;
      const watch: KeyWatch = { legs: [...legs], pressed };
      watches.set(name, watch);
      for (const leg of legs) watchesOf.set(leg, (watchesOf.get(leg) ?? new Set()).add(watch));
    },
    openStreamSource(name, { to, mostMs, played }) {
      if (streamSources.size() + virtual >= mostStreamSources) return undefined;
      const size = mostMs === undefined ? {} : { mostMs };
      const streamSource = new StreamSource({ name, ...size, played, createSource, frameSamples: 160 });
      if (!streamSources.open(streamSource, to)) return undefined;
      return handle(
        streamSource,
        (legs) => streamSources.replay(streamSource, legs),
        () => streamSources.close(streamSource),
      );
    },
    openVirtualLeg(name, { leg, sampleRate, mostMs, played }) {
      if (streamSources.size() + virtual >= mostStreamSources) return undefined;
      const size = mostMs === undefined ? {} : { mostMs };
      const streamSource = new StreamSource({
        name,
        ...size,
        played,
        createSource,
        frameSamples: sampleRate / 50,
      });
      if (!deps.openVirtualLeg(leg, streamSource)) return undefined;
      virtual++;
      let isOpen = true;
      return handle(
        streamSource,
        () => {},
        () => {
          if (!isOpen) return;
          isOpen = false;
          virtual--;
          streamSource.clear();
          deps.closeLeg(leg);
        },
      );
    },
    pressKeys: (legs, digits) => togetherOf([...new Set(legs)].map((leg) => deps.pressKeys(leg, digits))),
    census: () => ({ taps: captures.taps(), streamSources: streamSources.size() + virtual }),
  };
}

/** What became of keys for several legs: the reason of the first phone that did not take them. */
function togetherOf(outcomes: readonly (PressedKeys | undefined)[]): PressedKeys {
  return outcomes.find((outcome) => outcome !== undefined && outcome !== 'taken') ?? 'taken';
}
