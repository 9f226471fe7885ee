import type { Leg } from '../engine/leg.ts';
import type { StreamSource } from './stream-source.ts';

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

/** The table of stream sources and their listeners. */
export class StreamSources {
  readonly #find: StreamSourcesDeps['find'];
  readonly #refresh: StreamSourcesDeps['refresh'];
  readonly #open: OpenSource[] = [];
  readonly #byName = new Map<string, OpenSource>();
  readonly #byLeg = new Map<string, Set<StreamSource>>();
  /** The stream sources that advanced in this step. */
  readonly #moved: StreamSource[] = [];

  constructor({ find, refresh }: StreamSourcesDeps) {
    this.#find = find;
    this.#refresh = refresh;
  }

  /** False when the name is in use. */
  open(streamSource: StreamSource, to: readonly string[]): boolean {
    if (this.#byName.has(streamSource.name)) return false;
    const one: OpenSource = { streamSource, to: [...new Set(to)], lead: undefined };
    this.#byName.set(streamSource.name, one);
    this.#open.push(one);
    for (const leg of one.to) this.#hear(streamSource, leg);
    this.#tune(one);
    return true;
  }

  /** Replaces the listeners; legs that stay hear no gap. */
  replay(streamSource: StreamSource, to: readonly string[]): void {
    const one = this.#byName.get(streamSource.name);
    if (one?.streamSource !== streamSource) return;
    const former = new Set(one.to);
    one.to = [...new Set(to)];
    for (const leg of one.to) if (!former.delete(leg)) this.#hear(streamSource, leg);
    for (const leg of former) this.#unhear(streamSource, leg);
    this.#tune(one);
  }

  close(streamSource: StreamSource): void {
    const one = this.#byName.get(streamSource.name);
    if (one?.streamSource !== streamSource) return;
    streamSource.clear();
    this.#byName.delete(streamSource.name);
    this.#open.splice(this.#open.indexOf(one), 1);
    for (const leg of one.to) this.#unhear(streamSource, leg);
  }

  /** The stream sources that this leg hears. */
  of(leg: string): ReadonlySet<StreamSource> | undefined {
    return this.#byLeg.get(leg);
  }

  /** The leg was connected, has another rate, or was closed. */
  changed(leg: string): void {
    for (const streamSource of this.#byLeg.get(leg) ?? []) this.#tune(this.#byName.get(streamSource.name)!);
  }

  /** Advances the stream sources whose lead leg has its turn in this step. */
  advance(step: number): void {
    const open = this.#open;
    for (let f = 0; f < open.length; f++) {
      const one = open[f]!;
      const { streamSource, lead } = one;
      if (streamSource.isIdle || lead === undefined || lead.turn.lastStep !== step) continue;
      if (!streamSource.isFlowing && this.#isAwaited(one, step)) continue;
      streamSource.advance();
      this.#moved.push(streamSource);
    }
  }

  /** Advances the stream source of a virtual leg, in the leg's turn. */
  readonly move = (streamSource: StreamSource): void => {
    streamSource.advance();
    this.#moved.push(streamSource);
  };

  /** Once per step, when all legs have been sent their frames. */
  sent(): void {
    const moved = this.#moved;
    for (let streamSource = moved.pop(); streamSource !== undefined; streamSource = moved.pop())
      streamSource.sent();
  }

  size(): number {
    return this.#open.length;
  }

  #hear(streamSource: StreamSource, leg: string): void {
    this.#byLeg.set(leg, (this.#byLeg.get(leg) ?? new Set()).add(streamSource));
    this.#refresh(leg);
  }

  #unhear(streamSource: StreamSource, leg: string): void {
    const streamSources = this.#byLeg.get(leg);
    streamSources?.delete(streamSource);
    if (streamSources?.size === 0) this.#byLeg.delete(leg);
    this.#refresh(leg);
  }

  /** Plays the stream source at the highest rate of its listeners. */
  #tune(one: OpenSource): void {
    one.lead = undefined;
    let best = 0;
    let worst = Number.POSITIVE_INFINITY;
    for (const name of one.to) {
      const leg = this.#find(name);
      if (leg?.agreed === undefined) continue;
      one.lead ??= leg;
      best = Math.max(best, leg.hearing.frameSamples);
      worst = Math.min(worst, leg.hearing.frameSamples);
    }
    if (best === 0) return;
    if (one.streamSource.retune(best, best !== worst)) for (const name of one.to) this.#refresh(name);
  }

  /** A stream source waits until all its listeners receive mixed frames, because relayed frames come first. */
  #isAwaited({ to }: OpenSource, step: number): boolean {
    for (let k = 0; k < to.length; k++) {
      const leg = this.#find(to[k]!);
      if (leg?.agreed !== undefined && (leg.turn.dueStep > step || leg.turn.relayedUnits > 0)) return true;
    }
    return false;
  }
}
