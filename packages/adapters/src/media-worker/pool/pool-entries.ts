/** The things that stay in the worker of their leg or room. */
export interface Followers {
  readonly mixes: Set<MixEntry>;
  readonly captures: Set<CaptureEntry>;
  readonly streams: Set<StreamEntry>;
}

/** A move between two workers. Commands for a moving thing wait until it has arrived. */
export interface Move {
  readonly waiting: (() => void)[];
}

/** A leg that is open, or that a mix, a capture or a stream already names. */
export interface LegEntry extends Followers {
  readonly kind: 'leg';
  readonly name: string;
  /** Its name in the placement; so often needed that it is not put together each time. */
  readonly unit: string;
  isOpen: boolean;
  /** A leg without a phone: the audio of a stream, which cannot leave its worker. */
  isVirtual: boolean;
  /** The worker whose port of WebRTC it uses; that worker passes its packets on when the leg is in another worker. */
  iceIn: number | undefined;
  /** The mix that it is a member of, and with which it is placed. */
  room: MixEntry | undefined;
  weight: number;
  /** Its RTP port belongs to the part of the worker that opened it. A leg of WebRTC has one from its first move on. */
  port: number | undefined;
  /** The worker that has its sockets. While it moves this is not yet the one where it is placed. */
  inWorker: number | undefined;
  move: Move | undefined;
}

/** An open mix. With members it is a room, which is placed; a mix of plays alone follows the legs that hear them. */
export interface MixEntry extends Followers {
  readonly kind: 'mix';
  readonly name: string;
  /** As that of a leg. */
  readonly unit: string;
  members: readonly string[];
  isRoom: boolean;
  /** The mix is open in its worker. */
  isOpen: boolean;
  /** The leg or worker that a mix without members follows; undefined while it is in no worker. */
  at: Anchor | undefined;
  weight: number;
  move: Move | undefined;
}

/** A capture that has not ended. */
export interface CaptureEntry {
  readonly kind: 'capture';
  readonly name: string;
  at: Anchor;
  move: Move | undefined;
}

/** A stream stays in the worker that has its socket, and holds its legs there. */
export interface StreamEntry {
  readonly name: string;
  readonly worker: number;
  readonly holds: Set<Anchor>;
  /** The leg that the stream itself is. */
  leg: LegEntry | undefined;
  /** The legs that it hears, and those that hear it. */
  heard: readonly string[];
  hearers: readonly string[];
  /** Why the pool ends it; undefined while it does not. */
  refusal: string | undefined;
}

/** A worker, with the mixes and captures that name no leg. */
export interface WorkerEntry extends Followers {
  readonly kind: 'worker';
  readonly worker: number;
}

/** Mixes, captures and streams follow one of these. */
export type Anchor = LegEntry | MixEntry | WorkerEntry;

/** The things that can move between workers. */
export type Movable = LegEntry | MixEntry | CaptureEntry;

/** Legs of phones that the death of a worker ended, and the streams that ended with them. */
export interface Lost {
  readonly legs: readonly LegEntry[];
  readonly streams: readonly StreamEntry[];
}

/** The moves after which all members of a room are in its worker. */
export interface Gathering {
  readonly to: number;
  readonly bundles: readonly { readonly from: number; readonly things: readonly Movable[] }[];
  /** Streams that hold a leg elsewhere while the room is held here. */
  readonly refused: readonly StreamEntry[];
  /** The mix is not open in its worker yet. */
  readonly isNew: boolean;
}

export function noFollowers(): Followers {
  return { mixes: new Set(), captures: new Set(), streams: new Set() };
}

export function hasFollowers({ mixes, captures, streams }: Followers): boolean {
  return mixes.size + captures.size + streams.size > 0;
}

/** Whether the leg has to stay in its worker. */
export function isHeld(leg: LegEntry): boolean {
  return leg.isOpen && (leg.isVirtual || leg.streams.size > 0);
}

export function newLeg(name: string): LegEntry {
  return {
    kind: 'leg',
    name,
    unit: `leg/${name}`,
    isOpen: false,
    isVirtual: false,
    iceIn: undefined,
    room: undefined,
    weight: 1,
    port: undefined,
    inWorker: undefined,
    move: undefined,
    ...noFollowers(),
  };
}

export function newMix(name: string): MixEntry {
  const rest = { members: [], isRoom: false, isOpen: false, at: undefined, weight: 0, move: undefined };
  return { kind: 'mix', name, unit: `mix/${name}`, ...rest, ...noFollowers() };
}

/** The worker of the anchor has died: mixes and captures that followed the anchor are lost. */
export function loseFollowers(anchor: Anchor, captures: Map<string, CaptureEntry>): void {
  for (const mix of anchor.mixes) {
    mix.at = undefined;
    mix.isOpen = false;
  }
  for (const capture of anchor.captures) captures.delete(capture.name);
  anchor.mixes.clear();
  anchor.captures.clear();
  if (anchor.kind !== 'mix') return;
  anchor.isRoom = false;
  anchor.isOpen = false;
  anchor.members = [];
  anchor.weight = 0;
}

/** The things that move with this leg. */
export function withFollowers(leg: LegEntry): Movable[] {
  return [...(leg.isOpen && !leg.isVirtual ? [leg] : []), ...leg.mixes, ...leg.captures];
}

/** The fields of a stream that are filled later. */
export const newStream = { leg: undefined, heard: [], hearers: [], refusal: undefined } as const;

/** The streams that hold these legs and rooms in their workers. */
export function streamsOf(held: readonly Followers[]): readonly StreamEntry[] {
  return [...new Set(held.flatMap(({ streams }) => [...streams]))];
}

/** The worker with the most of these legs, by weight; of equals the one with less load. */
export function workerOfMost(
  legs: readonly LegEntry[],
  workerOf: (leg: LegEntry) => number | undefined,
  loads: readonly number[],
): number | undefined {
  const shares = new Map<number, number>();
  for (const leg of legs) {
    const worker = leg.isOpen ? workerOf(leg) : undefined;
    if (worker !== undefined) shares.set(worker, (shares.get(worker) ?? 0) + leg.weight);
  }
  const [most] = [...shares].sort(
    ([one, its], [other, others]) => others - its || loads[one]! - loads[other]!,
  );
  return most?.[0];
}
