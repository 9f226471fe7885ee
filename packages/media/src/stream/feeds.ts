import type { Leg } from '../engine/leg.ts';
import type { Feed } from './feed.ts';

/** Which legs hear which feeds. */
export interface Feeds {
  /** False when the name is open. */
  open(feed: Feed, to: readonly string[]): boolean;
  /** Other legs hear it; those who go on hear no break. */
  replay(feed: Feed, to: readonly string[]): void;
  close(feed: Feed): void;
  /** What this leg hears of them. */
  of(leg: string): ReadonlySet<Feed> | undefined;
  /** The leg was connected, hears at another rate, or is gone. */
  changed(leg: string): void;
  /** Moves on those whose hearers have their turn in this step; when these turns are taken, not before. */
  advance(step: number): void;
  /** The turn of a virtual leg: moves its feed on. */
  move(feed: Feed): void;
  /** Once per step, when all legs have been sent their frames. */
  sent(): void;
  size(): number;
}

/** How legs are found, and how they learn that they hear something else. */
export interface FeedsDeps {
  readonly find: (leg: string) => Leg | undefined;
  readonly stir: (leg: string) => void;
}

interface OpenFeed {
  readonly feed: Feed;
  to: readonly string[];
  /** With whose turns it moves on: those of its first hearer that is there. */
  lead: Leg | undefined;
}

/** No feeds yet. */
export function createFeeds({ find, stir }: FeedsDeps): Feeds {
  const open: OpenFeed[] = [];
  const byName = new Map<string, OpenFeed>();
  const byLeg = new Map<string, Set<Feed>>();
  /** Those that moved on in this step. */
  const moved: Feed[] = [];

  const unhear = (feed: Feed, leg: string): void => {
    const feeds = byLeg.get(leg);
    feeds?.delete(feed);
    if (feeds?.size === 0) byLeg.delete(leg);
    stir(leg);
  };
  const hear = (feed: Feed, leg: string): void => {
    byLeg.set(leg, (byLeg.get(leg) ?? new Set()).add(feed));
    stir(leg);
  };
  /** It is played at the best rate among those who hear it. */
  const tune = (one: OpenFeed): void => {
    one.lead = undefined;
    let best = 0;
    let worst = Number.POSITIVE_INFINITY;
    for (const name of one.to) {
      const leg = find(name);
      if (leg?.agreed === undefined) continue;
      one.lead ??= leg;
      best = Math.max(best, leg.ear.frameSamples);
      worst = Math.min(worst, leg.ear.frameSamples);
    }
    if (best === 0) return;
    if (one.feed.retune(best, best !== worst)) for (const name of one.to) stir(name);
  };
  /** It begins when all who shall hear it from its first frame on are sent mixed frames; those who were relayed are still owed some. */
  const isAwaited = ({ to }: OpenFeed, step: number): boolean => {
    for (let k = 0; k < to.length; k++) {
      const leg = find(to[k]!);
      if (leg?.agreed !== undefined && (leg.turn.dueStep > step || leg.turn.spared > 0)) return true;
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
