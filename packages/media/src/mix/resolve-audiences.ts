import { type Audience, createAudience } from './audience.ts';
import { ConvertedSource, type Heard } from './converted-source.ts';
import type { Source } from './source.ts';

/** What one listener shall hear. `self` is its own source; it may be among `hears` (an echo). */
export interface Listener {
  readonly self: Source;
  readonly hears: ReadonlySet<Source>;
  /** Samples of the frames that it is sent. */
  readonly frameSamples: number;
}

/** Where a listener takes its audio from. */
export interface Seat {
  readonly audience: Audience;
  /** Its own voice, which is in the sum and has to come out; undefined where it is not. */
  readonly own: Heard | undefined;
  /** The limiter's gain at the end of the last frame that was mixed for this listener, or shared with him. */
  gain: number;
}

/** All audiences in use, by the set of sources they hear, so that equal sets share one whatever mix they come from. */
export interface Audiences {
  /** The seat for each listener, in the order given; undefined for who hears nothing. Counts the listeners in. */
  seat(listeners: readonly Listener[]): (Seat | undefined)[];
  /** Gives a seat back. */
  leave(seat: Seat): void;
  size(): number;
}

/**
 * A talker of a room hears "everybody minus me", so all talkers could share the sum of everybody; a listener who does not
 * talk hears the bare set. Self is added to the set only when at least two listeners end up with the same one: otherwise
 * the bare set is cheaper, and no frame gets into a sum that nobody may hear it from.
 *
 * Listeners of different rates are different audiences: what comes and goes at one rate changes no sample at another, a talker
 * is heard bit for bit at his own rate, and a source is converted once for all audiences of a rate.
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
