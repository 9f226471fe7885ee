import type { NewStream } from '../domain/new-stream.ts';

type Attached = Pick<NewStream, 'stream' | 'callUuid' | 'serviceUrl' | 'mpc' | 'asLeg'>;

/** Live streams by their call or room, from the request to start on. */
export interface LiveStreams {
  add(stream: Attached): void;
  remove(stream: Attached): void;
  has(stream: string): boolean;
  /** Of the same call or room. */
  beside(stream: Attached): readonly Attached[];
  /** Streams that end with this leg. */
  ofLeg(leg: string): readonly string[];
  /** Whether the stream ends with the leg that it names. */
  endsWithLeg(stream: Attached): boolean;
}

export function createLiveStreams(): LiveStreams {
  const byResource = new Map<string, Map<string, Attached>>();
  const known = new Set<string>();

  return {
    has: (stream) => known.has(stream),
    add(stream) {
      known.add(stream.stream);
      const resource = resourceOf(stream);
      const there = byResource.get(resource);
      if (there === undefined) byResource.set(resource, new Map([[stream.stream, stream]]));
      else there.set(stream.stream, stream);
    },
    remove(stream) {
      known.delete(stream.stream);
      const resource = resourceOf(stream);
      const there = byResource.get(resource);
      there?.delete(stream.stream);
      if (there?.size === 0) byResource.delete(resource);
    },
    beside: (stream) => [...(byResource.get(resourceOf(stream))?.values() ?? [])],
    ofLeg: (leg) =>
      [...(byResource.get(`call/${leg}`)?.values() ?? [])].filter(endsWithLeg).map(({ stream }) => stream),
    endsWithLeg,
  };
}

function resourceOf({ callUuid, mpc }: Attached): string {
  return mpc === undefined ? `call/${callUuid}` : `mpc/${mpc.uuid}`;
}

function endsWithLeg({ mpc, asLeg }: Attached): boolean {
  return mpc === undefined && asLeg === undefined;
}
