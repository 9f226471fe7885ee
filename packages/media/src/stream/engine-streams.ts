import type { CapturedLegs, Captures } from '../capture/captures.ts';
import type { Source } from '../mix/source.ts';
import { Feed } from './feed.ts';
import type { Feeds } from './feeds.ts';

/**
 * Sound of legs to and from programs, while it happens: for whoever lives in the thread of the engine. Names are those of the
 * programs' streams; a leg that is not open (yet) is silent and hears nothing.
 */
export interface EngineStreams {
  /**
   * Hands over what these legs say and are sent, 20 ms at a time and without a gap: a track that is silent is handed over as
   * well. The same name again: other tracks, from the next frame on; the rate stays. False beyond a limit.
   */
  tap(name: string, order: TapOrder): boolean;
  endTap(name: string): void;
  /** Keys that these legs press, however often a leg is named; the same name again: other legs. None ends it. */
  watchKeys(name: string, legs: readonly string[], pressed: TellKey): void;
  /** A key that came in signalling (SIP INFO): told to those who watch the leg. It may come among the audio as well. */
  signalKey(leg: string, digit: string, durationMs: number): void;
  /** Sound for legs, members of a mix or not; undefined when the name is open or there are too many. */
  openFeed(name: string, order: FeedOrder): OpenedFeed | undefined;
  /**
   * A leg without a phone, a member of mixes as any other: what is fed is what it says. It is closed with its feed. Undefined when
   * its name is open or there are too many; throws a RangeError for a rate at which no leg speaks.
   */
  openVirtualLeg(name: string, order: VirtualLegOrder): OpenedFeed | undefined;
  /** RFC 4733 events towards these legs, see the command `send-digits`. */
  pressKeys(legs: readonly string[], digits: string): void;
  census(): { readonly taps: number; readonly feeds: number };
}

/** Takes a key: one of `0-9*#ABCD`, how long it was held, and whether it came as RFC 4733 event or in signalling. */
export type TellKey = (leg: string, digit: string, durationMs: number, as: 'event' | 'info') => void;

/** What is tapped, at which rate (Hz, a multiple of 50 samples), and who takes it. */
export interface TapOrder {
  readonly sampleRate: number;
  readonly tracks: readonly CapturedLegs[];
  /** 16-bit samples of 20 ms, interleaved by track; valid during the call only. */
  readonly take: (samples: Int16Array, tracks: number) => void;
}

/** Who hears a feed, and who is told about its marks. */
export interface FeedOrder {
  readonly to: readonly string[];
  /** How much may wait; default 60,000. */
  readonly mostMs?: number;
  readonly played: (mark: string) => void;
}

/** A leg for a program. */
export interface VirtualLegOrder {
  readonly leg: string;
  /** At which it speaks and hears: 8000, 16000, 24000 or 48000. */
  readonly sampleRate: number;
  readonly mostMs?: number;
  readonly played: (mark: string) => void;
}

/** What can be done with a feed from outside. */
export interface OpenedFeed
  extends Pick<Feed, 'put' | 'mark' | 'clear' | 'pause' | 'queuedMs' | 'mostMs' | 'playedMs'> {
  /** Nothing for that of a virtual leg. */
  replay(to: readonly string[]): void;
  close(): void;
}

/** What streams need of their engine. */
export interface EngineStreamsDeps {
  readonly captures: Captures;
  readonly feeds: Feeds;
  readonly createSource: (frameSamples: number) => Source;
  readonly mostFeeds: number;
  readonly openVirtualLeg: (leg: string, feed: Feed) => boolean;
  readonly closeLeg: (leg: string) => void;
  readonly pressKeys: (leg: string, digits: string) => void;
}

/** Streams of one engine, and the way in for keys. */
export interface StreamsOfEngine extends EngineStreams {
  tellKey: TellKey;
}

interface KeyWatch {
  readonly legs: readonly string[];
  readonly pressed: TellKey;
}

/** No streams yet. */
export function createEngineStreams(deps: EngineStreamsDeps): StreamsOfEngine {
  const { captures, feeds, createSource, mostFeeds } = deps;
  const watches = new Map<string, KeyWatch>();
  const watchesOf = new Map<string, Set<KeyWatch>>();
  let virtual = 0;

  const handle = (feed: Feed, replay: (to: readonly string[]) => void, close: () => void): OpenedFeed => ({
    put: (samples, rate) => feed.put(samples, rate),
    mark: (name) => feed.mark(name),
    clear: () => feed.clear(),
    pause: (paused) => feed.pause(paused),
    get queuedMs() {
      return feed.queuedMs;
    },
    mostMs: feed.mostMs,
    get playedMs() {
      return feed.playedMs;
    },
    replay,
    close,
  });

  const tellKey: TellKey = (leg, digit, durationMs, as) => {
    const told = watchesOf.get(leg);
    if (told === undefined) return;
    for (const { pressed } of [...told]) pressed(leg, digit, durationMs, as);
  };

  return {
    tellKey,
    signalKey: (leg, digit, durationMs) => tellKey(leg, digit, durationMs, 'info'),
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
    openFeed(name, { to, mostMs, played }) {
      if (feeds.size() + virtual >= mostFeeds) return undefined;
      const size = mostMs === undefined ? {} : { mostMs };
      const feed = new Feed({ name, ...size, played, createSource, frameSamples: 160 });
      if (!feeds.open(feed, to)) return undefined;
      return handle(
        feed,
        (legs) => feeds.replay(feed, legs),
        () => feeds.close(feed),
      );
    },
    openVirtualLeg(name, { leg, sampleRate, mostMs, played }) {
      if (feeds.size() + virtual >= mostFeeds) return undefined;
      const size = mostMs === undefined ? {} : { mostMs };
      const feed = new Feed({ name, ...size, played, createSource, frameSamples: sampleRate / 50 });
      if (!deps.openVirtualLeg(leg, feed)) return undefined;
      virtual++;
      let isOpen = true;
      return handle(
        feed,
        () => {},
        () => {
          if (!isOpen) return;
          isOpen = false;
          virtual--;
          feed.clear();
          deps.closeLeg(leg);
        },
      );
    },
    pressKeys(legs, digits) {
      for (const leg of new Set(legs)) deps.pressKeys(leg, digits);
    },
    census: () => ({ taps: captures.taps(), feeds: feeds.size() + virtual }),
  };
}
