/** Weights of rooms; the unit is the work of one G.711 participant. */
export interface PlacementOptions {
  readonly workers: number;
  /** The weight that a worker carries; it gets no further room beyond. Default: no limit. */
  readonly capacity?: number;
  /** A new room counts as this at least until it is weighed, because its members are still joining. Default 3. */
  readonly usualRoom?: number;
}

/** Decides in which media worker each room lives; a leg without a room is a room of its own. No other table has the workers of rooms. */
export interface Placement {
  /**
   * The worker with the least weight, or the given one; undefined when no worker has space, the given one is lost, or the room is open. With
   * a given worker nothing is reserved for members who join later: they are there already.
   */
  open(room: string, weight: number, worker?: number): number | undefined;
  /** The room goes on in another worker, because a member cannot leave that one. */
  move(room: string, worker: number): void;
  /** The worker that gets the next room; undefined when all are lost. */
  least(): number | undefined;
  /** The weight of a room changed: members joined, left or use another codec. */
  weigh(room: string, weight: number): void;
  close(room: string): void;
  workerOf(room: string): number | undefined;
  /** The worker died. Returns its rooms, which end; it gets no room until `restart`. */
  lose(worker: number): readonly string[];
  restart(worker: number): void;
  /** The weight of each worker, by its number. */
  weights(): readonly number[];
}

interface Room {
  worker: number;
  weight: number;
}

const USUAL_ROOM = 3;

/** Creates a placement without rooms. */
export function createPlacement(options: PlacementOptions): Placement {
  return new LeastWeight(options);
}

/**
 * The worker with the least weight gets the next room. All weights are known here, so no choice is random, and
 * a scan of the workers (at most one for each core) is cheaper than any structure over them.
 */
class LeastWeight implements Placement {
  readonly #capacity: number;
  readonly #usualRoom: number;
  readonly #rooms = new Map<string, Room>();
  readonly #weights: Float64Array;
  readonly #isLost: boolean[];

  constructor({ workers, capacity = Number.POSITIVE_INFINITY, usualRoom = USUAL_ROOM }: PlacementOptions) {
    if (!Number.isInteger(workers) || workers < 1) {
      throw new RangeError(`the number of media workers is ${workers}: a whole number from 1 on is allowed`);
    }
    this.#capacity = capacity;
    this.#usualRoom = usualRoom;
    this.#weights = new Float64Array(workers);
    this.#isLost = Array.from({ length: workers }, () => false);
  }

  open(room: string, weight: number, given?: number): number | undefined {
    if (this.#rooms.has(room)) return undefined;
    const counted = given === undefined ? Math.max(weight, this.#usualRoom) : weight;
    const worker = given ?? this.#leastWith(counted);
    if (worker === undefined || this.#isLost[worker]) return undefined;
    this.#rooms.set(room, { worker, weight: counted });
    this.#weights[worker]! += counted;
    return worker;
  }

  move(room: string, worker: number): void {
    const placed = this.#rooms.get(room);
    if (placed === undefined) return;
    this.#weights[placed.worker]! -= placed.weight;
    this.#weights[worker]! += placed.weight;
    placed.worker = worker;
  }

  least(): number | undefined {
    return this.#leastWith(0);
  }

  #leastWith(counted: number): number | undefined {
    let least: number | undefined;
    for (let worker = 0; worker < this.#weights.length; worker++) {
      if (this.#isLost[worker] || this.#weights[worker]! + counted > this.#capacity) continue;
      if (least === undefined || this.#weights[worker]! < this.#weights[least]!) least = worker;
    }
    return least;
  }

  weigh(room: string, weight: number): void {
    const placed = this.#rooms.get(room);
    if (placed === undefined) return;
    this.#weights[placed.worker]! += weight - placed.weight;
    placed.weight = weight;
  }

  close(room: string): void {
    const placed = this.#rooms.get(room);
    if (placed === undefined) return;
    this.#rooms.delete(room);
    this.#weights[placed.worker]! -= placed.weight;
  }

  workerOf(room: string): number | undefined {
    return this.#rooms.get(room)?.worker;
  }

  lose(worker: number): readonly string[] {
    const lost: string[] = [];
    for (const [room, placed] of this.#rooms) if (placed.worker === worker) lost.push(room);
    for (const room of lost) this.#rooms.delete(room);
    this.#weights[worker] = 0;
    this.#isLost[worker] = true;
    return lost;
  }

  restart(worker: number): void {
    this.#isLost[worker] = false;
  }

  weights(): readonly number[] {
    return [...this.#weights];
  }
}
