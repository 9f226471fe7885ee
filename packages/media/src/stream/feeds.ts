import type { Leg } from '../engine/leg.ts';
import type { Feed } from './feed.ts';

/** The table of stream sources and their listeners. */
export interface Feeds {
  /** False when the name is in use. */
  open(feed: Feed, to: readonly string[]): boolean;
  /** Replaces the listeners; legs that stay hear no gap. */
  replay(feed: Feed, to: readonly string[]): void;
  close(feed: Feed): void;
  /** The stream sources that this leg hears. */
  of(leg: string): ReadonlySet<Feed> | undefined;
  /** The leg was connected, has another rate, or was closed. */
  changed(leg: string): void;
  /** Advances the stream sources whose lead leg has its turn in this step. */
  advance(step: number): void;
  /** Advances the stream source of a virtual leg, in the leg's turn. */
  move(feed: Feed): void;
  /** Once per step, when all legs have been sent their frames. */
  sent(): void;
  size(): number;
}

/** How legs are found, and the callback for a change of what a leg hears. */
export interface FeedsDeps {
  readonly find: (leg: string) => Leg | undefined;
  readonly refresh: (leg: string) => void;
}

interface OpenFeed {
  readonly feed: Feed;
  to: readonly string[];
  /** The leg whose turns advance the stream source: the first connected listener. */
  lead: Leg | undefined;
}

/** Creates the table, without stream sources. */
export function createFeeds({ find, refresh }: FeedsDeps): Feeds {
  const open: OpenFeed[] = [];
  const byName = new Map<string, OpenFeed>();
  const byLeg = new Map<string, Set<Feed>>();
  /** The stream sources that advanced in this step. */
  const moved: Feed[] = [];

  const unhear = (feed: Feed, leg: string): void => {
    const feeds = byLeg.get(leg);
    feeds?.delete(feed);
    if (feeds?.size === 0) byLeg.delete(leg);
    refresh(leg);
  };
  const hear = (feed: Feed, leg: string): void => {
    byLeg.set(leg, (byLeg.get(leg) ?? new Set()).add(feed));
    refresh(leg);
  };
  /** Plays the stream source at the highest rate of its listeners. */
  const tune = (one: OpenFeed): void => {
    one.lead = undefined;
    let best = 0;
    let worst = Number.POSITIVE_INFINITY;
    for (const name of one.to) {
      const leg = find(name);
      if (leg?.agreed === undefined) continue;
      one.lead ??= leg;
      best = Math.max(best, leg.hearing.frameSamples);
      worst = Math.min(worst, leg.hearing.frameSamples);
    }
    if (best === 0) return;
    if (one.feed.retune(best, best !== worst)) for (const name of one.to) refresh(name);
  };
  /** A stream source waits until all its listeners receive mixed frames, because relayed frames come first. */
  const isAwaited = ({ to }: OpenFeed, step: number): boolean => {
    for (let k = 0; k < to.length; k++) {
      const leg = find(to[k]!);
      if (leg?.agreed !== undefined && (leg.turn.dueStep > step || leg.turn.relayedUnits > 0)) return true;
    }
    return false;
  };

  return {
    open(feed, to) {
      if (byName.has(feed.name)) return false;
      const one: OpenFeed = { feed, to: [...new Set(to)], lead: undefined };
      byName.set(feed.name, one);
      open.push(one);
      for (const leg of one.to) hear(feed, leg);
      tune(one);
      return true;
    },
    replay(feed, to) {
      const one = byName.get(feed.name);
      if (one?.feed !== feed) return;
      const former = new Set(one.to);
      one.to = [...new Set(to)];
      for (const leg of one.to) if (!former.delete(leg)) hear(feed, leg);
      for (const leg of former) unhear(feed, leg);
      tune(one);
    },
    close(feed) {
      const one = byName.get(feed.name);
      if (one?.feed !== feed) return;
      feed.clear();
      byName.delete(feed.name);
      open.splice(open.indexOf(one), 1);
      for (const leg of one.to) unhear(feed, leg);
    },
    of: (leg) => byLeg.get(leg),
    changed(leg) {
      for (const feed of byLeg.get(leg) ?? []) tune(byName.get(feed.name)!);
    },
    advance(step) {
      for (let f = 0; f < open.length; f++) {
        const one = open[f]!;
        const { feed, lead } = one;
        if (feed.isIdle || lead === undefined || lead.turn.lastStep !== step) continue;
        if (!feed.isFlowing && isAwaited(one, step)) continue;
        feed.advance();
        moved.push(feed);
      }
    },
    move(feed) {
      feed.advance();
      moved.push(feed);
    },
    sent() {
      for (let feed = moved.pop(); feed !== undefined; feed = moved.pop()) feed.sent();
    },
    size: () => open.length,
  };
}
