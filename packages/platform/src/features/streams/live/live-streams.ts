import type { NewStream } from '../domain/new-stream.ts';

type Placed = Pick<NewStream, 'stream' | 'callUuid' | 'serviceUrl' | 'mpc' | 'asLeg'>;

/** Which streams live, by the call or the room that they are of: known from the wish to start on. */
export interface LiveStreams {
  add(stream: Placed): void;
  remove(stream: Placed): void;
  has(stream: string): boolean;
  /** Of the same call or room. */
  beside(stream: Placed): readonly Placed[];
  /** Those that end with this leg. */
  ofLeg(leg: string): readonly string[];
  /** Whether it ends with the leg that it names. */
  sharesLife(stream: Placed): boolean;
}

export function createLiveStreams(): LiveStreams {
  const places = new Map<string, Map<string, Placed>>();
  const known = new Set<string>();

  return {
    has: (stream) => known.has(stream),
    add(stream) {
      known.add(stream.stream);
      const place = placeOf(stream);
      const there = places.get(place);
      if (there === undefined) places.set(place, new Map([[stream.stream, stream]]));
      else there.set(stream.stream, stream);
    },
    remove(stream) {
      known.delete(stream.stream);
      const place = placeOf(stream);
      const there = places.get(place);
      there?.delete(stream.stream);
      if (there?.size === 0) places.delete(place);
    },
    beside: (stream) => [...(places.get(placeOf(stream))?.values() ?? [])],
    ofLeg: (leg) =>
      [...(places.get(`call/${leg}`)?.values() ?? [])].filter(sharesLife).map(({ stream }) => stream),
    sharesLife,
  };
}

function placeOf({ callUuid, mpc }: Placed): string {
  return mpc === undefined ? `call/${callUuid}` : `mpc/${mpc.uuid}`;
}

function sharesLife({ mpc, asLeg }: Placed): boolean {
  return mpc === undefined && asLeg === undefined;
}
