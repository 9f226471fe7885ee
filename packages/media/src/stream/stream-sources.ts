import type { Leg } from '../engine/leg.ts';
import type { StreamSource } from './stream-source.ts';

/** The table of stream sources and their listeners. */
export interface StreamSources {
  /** False when the name is in use. */
  open(streamSource: StreamSource, to: readonly string[]): boolean;
  /** Replaces the listeners; legs that stay hear no gap. */
  replay(streamSource: StreamSource, to: readonly string[]): void;
  close(streamSource: StreamSource): void;
  /** The stream sources that this leg hears. */
  of(leg: string): ReadonlySet<StreamSource> | undefined;
  /** The leg was connected, has another rate, or was closed. */
  changed(leg: string): void;
  /** Advances the stream sources whose lead leg has its turn in this step. */
  advance(step: number): void;
  /** Advances the stream source of a virtual leg, in the leg's turn. */
  move(streamSource: StreamSource): void;
  /** Once per step, when all legs have been sent their frames. */
  sent(): void;
  size(): number;
}

/** How legs are found, and the callback for a change of what a leg hears. */
export interface StreamSourcesDeps {
  readonly find: (leg: string) => Leg | undefined;
  readonly refresh: (leg: string) => void;
}

interface OpenSource {
  readonly streamSource: StreamSource;
  to: readonly string[];
  /** The leg whose turns advance the stream source: the first connected listener. */
  lead: Leg | undefined;
}

/** Creates the table, without stream sources. */
export function createStreamSources({ find, refresh }: StreamSourcesDeps): StreamSources {
  const open: OpenSource[] = [];
  const byName = new Map<string, OpenSource>();
  const byLeg = new Map<string, Set<StreamSource>>();
  /** The stream sources that advanced in this step. */
  const moved: StreamSource[] = [];

  const unhear = (streamSource: StreamSource, leg: string): void => {
    const streamSources = byLeg.get(leg);
    streamSources?.delete(streamSource);
    if (streamSources?.size === 0) byLeg.delete(leg);
    refresh(leg);
  };
  const hear = (streamSource: StreamSource, leg: string): void => {
    byLeg.set(leg, (byLeg.get(leg) ?? new Set()).add(streamSource));
    refresh(leg);
  };
  /** Plays the stream source at the highest rate of its listeners. */
  const tune = (one: OpenSource): void => {
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
    if (one.streamSource.retune(best, best !== worst)) for (const name of one.to) refresh(name);
  };
  /** A stream source waits until all its listeners receive mixed frames, because relayed frames come first. */
  const isAwaited = ({ to }: OpenSource, step: number): boolean => {
    for (let k = 0; k < to.length; k++) {
      const leg = find(to[k]!);
      if (leg?.agreed !== undefined && (leg.turn.dueStep > step || leg.turn.relayedUnits > 0)) return true;
    }
    return false;
  };

  return {
    open(streamSource, to) {
      if (byName.has(streamSource.name)) return false;
      const one: OpenSource = { streamSource, to: [...new Set(to)], lead: undefined };
      byName.set(streamSource.name, one);
      open.push(one);
      for (const leg of one.to) hear(streamSource, leg);
      tune(one);
      return true;
    },
    replay(streamSource, to) {
      const one = byName.get(streamSource.name);
      if (one?.streamSource !== streamSource) return;
      const former = new Set(one.to);
      one.to = [...new Set(to)];
      for (const leg of one.to) if (!former.delete(leg)) hear(streamSource, leg);
      for (const leg of former) unhear(streamSource, leg);
      tune(one);
    },
    close(streamSource) {
      const one = byName.get(streamSource.name);
      if (one?.streamSource !== streamSource) return;
      streamSource.clear();
      byName.delete(streamSource.name);
      open.splice(open.indexOf(one), 1);
      for (const leg of one.to) unhear(streamSource, leg);
    },
    of: (leg) => byLeg.get(leg),
    changed(leg) {
      for (const streamSource of byLeg.get(leg) ?? []) tune(byName.get(streamSource.name)!);
    },
    advance(step) {
      for (let f = 0; f < open.length; f++) {
        const one = open[f]!;
        const { streamSource, lead } = one;
        if (streamSource.isIdle || lead === undefined || lead.turn.lastStep !== step) continue;
        if (!streamSource.isFlowing && isAwaited(one, step)) continue;
        streamSource.advance();
        moved.push(streamSource);
      }
    },
    move(streamSource) {
      streamSource.advance();
      moved.push(streamSource);
    },
    sent() {
      for (let streamSource = moved.pop(); streamSource !== undefined; streamSource = moved.pop())
        streamSource.sent();
    },
    size: () => open.length,
  };
}
