import { type Audience, createAudience } from './audience.ts';
import { ConvertedSource, type Heard } from './converted-source.ts';
import type { Source } from './source.ts';

/** What one listener may hear. `self` is its own source; `hears` may contain it (an echo). */
export interface Listener {
  readonly self: Source;
  readonly hears: ReadonlySet<Source>;
  /** Samples of a frame sent to it. */
  readonly frameSamples: number;
}

/** A listener's position in an audience. */
export interface Seat {
  readonly audience: Audience;
  /** Its own frame in the sum, to be subtracted; undefined where the sum does not contain it. */
  readonly own: Heard | undefined;
  /** The limiter's gain at the end of the last frame that this listener heard. */
  gain: number;
}

/** All audiences in use, by their sets of sources: listeners of equal sets share one, in any mix. */
export interface Audiences {
  /** Returns the seat of each listener, in the given order, and counts it; undefined for a listener without sources. */
  seat(listeners: readonly Listener[]): (Seat | undefined)[];
  /** Returns a seat. */
  leave(seat: Seat): void;
  size(): number;
}

/**
 * A talker in a room hears "all minus me", so all talkers can share the sum of all; a silent listener hears the bare
 * set. Self is added to the set only if two or more listeners then share it. Otherwise the bare set is cheaper, and no
 * sum contains a source that none of its listeners may hear.
 * Listeners of different rates are different audiences. Members of one rate therefore change no sample at another, each
 * talker is heard bit for bit at its own rate, and a source is converted once per rate.
 */
export function createAudiences(codecs: number): Audiences {
  const byKey = new Map<string, Audience>();
  const converted = new Map<string, ConvertedSource>();
  const convertTo =
    (frameSamples: number) =>
    (source: Source): ConvertedSource => {
      const key = keyOf([source], frameSamples);
      let one = converted.get(key);
      if (one === undefined) {
        one = new ConvertedSource(source, frameSamples);
        converted.set(key, one);
      }
      one.audiences++;
      return one;
    };
  return {
    size: () => byKey.size,
    seat(listeners) {
      const bare = listeners.map(({ hears, frameSamples }) => keyOf(hears, frameSamples));
      const withSelf = listeners.map(({ self, hears, frameSamples }) =>
        hears.size === 0 || hears.has(self) ? undefined : keyOf(new Set(hears).add(self), frameSamples),
      );
      const sharers = new Map<string, number>();
      for (const key of withSelf) if (key !== undefined) sharers.set(key, (sharers.get(key) ?? 0) + 1);
      return listeners.map(({ self, hears, frameSamples }, index) => {
        if (hears.size === 0) return undefined;
        const shared = withSelf[index];
        const minusSelf = shared !== undefined && sharers.get(shared)! > 1;
        const key = minusSelf ? shared : bare[index]!;
        let audience = byKey.get(key);
        if (audience === undefined) {
          const sources = sorted(minusSelf ? new Set(hears).add(self) : hears);
          audience = createAudience(sources, key, frameSamples, codecs, convertTo(frameSamples));
          byKey.set(key, audience);
        }
        audience.listeners++;
        const own = minusSelf ? audience.heard[audience.sources.indexOf(self)] : undefined;
        return { audience, own, gain: audience.gain };
      });
    },
    leave({ audience }) {
      if (--audience.listeners > 0) return;
      byKey.delete(audience.key);
      for (const { codec } of audience.streams) codec?.close?.();
      audience.streams.length = 0;
      for (const one of audience.converted) {
        if (--one.audiences === 0) converted.delete(keyOf([one.source], one.frame.length));
      }
    },
  };
}

function sorted(sources: Iterable<Source>): Source[] {
  return [...sources].sort((a, b) => a.id - b.id);
}

function keyOf(sources: Iterable<Source>, frameSamples: number): string {
  const ids = sorted(sources).map((source) => source.id);
  return `${frameSamples}:${ids.join(',')}`;
}
