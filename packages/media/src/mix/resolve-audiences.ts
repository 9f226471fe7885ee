import { type Audience, createAudience } from './audience.ts';
import type { Source } from './source.ts';

/** What one listener shall hear. `self` is its own source; it may be among `hears` (an echo). */
export interface Listener {
  readonly self: Source;
  readonly hears: ReadonlySet<Source>;
}

/** Where a listener takes its audio from; `minusSelf` says that its own frame is in the sum and has to come out. */
export interface Seat {
  readonly audience: Audience;
  readonly minusSelf: boolean;
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
 */
export function createAudiences(frameSamples: number, codecs: number): Audiences {
  const byKey = new Map<string, Audience>();
  return {
    size: () => byKey.size,
    seat(listeners) {
      const bare = listeners.map(({ hears }) => keyOf(hears));
      const withSelf = listeners.map(({ self, hears }) =>
        hears.size === 0 || hears.has(self) ? undefined : keyOf(new Set(hears).add(self)),
      );
      const sharers = new Map<string, number>();
      for (const key of withSelf) if (key !== undefined) sharers.set(key, (sharers.get(key) ?? 0) + 1);
      return listeners.map(({ self, hears }, index) => {
        if (hears.size === 0) return undefined;
        const shared = withSelf[index];
        const minusSelf = shared !== undefined && sharers.get(shared)! > 1;
        const key = minusSelf ? shared : bare[index]!;
        let audience = byKey.get(key);
        if (audience === undefined) {
          const sources = sorted(minusSelf ? new Set(hears).add(self) : hears);
          audience = createAudience(sources, key, frameSamples, codecs);
          byKey.set(key, audience);
        }
        audience.listeners++;
        return { audience, minusSelf };
      });
    },
    leave({ audience }) {
      if (--audience.listeners === 0) byKey.delete(audience.key);
    },
  };
}

function sorted(sources: ReadonlySet<Source>): Source[] {
  return [...sources].sort((a, b) => a.id - b.id);
}

function keyOf(sources: ReadonlySet<Source>): string {
  return sorted(sources)
    .map((source) => source.id)
    .join(',');
}
